import { expect, test } from "bun:test";
import { startLiveService } from "../support/live-service.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { Repository } from "./support/repository.ts";

test("the service tells the changes of the folder in which a real pane stands", async () => {
  await using repository = await Repository.create();
  await repository.commit({ "a.ts": "a\n" });
  await repository.write({ "a.ts": "b\n" });
  const tmux = await PrivateTmux.idle();
  const service = await startLiveService({ tmux });
  try {
    const where = ["-c", repository.path, "-P", "-F", "#{pane_id}"];
    const pane = await tmux.command("new-session", "-d", ...where, "sleep", "600");
    const path = `${service.url}/api/changes?id=${encodeURIComponent(pane)}`;
    const reply = await until(async () => {
      const asked = await fetch(path);
      const found = asked.status === 200 ? await asked.json() : null;
      // Until it is seen, and while it is still tmux itself, the pane stands elsewhere.
      return found?.top === repository.path ? found : null;
    });
    expect(reply).toMatchObject({ branch: "main", within: null, total: 1 });
    const { _info } = await (await fetch(`${service.url}/api/config`)).json();
    expect(_info.capabilities).toMatchObject({ changes_v1: { version: 1 } });
  } finally {
    await service.stop();
    await tmux.stop();
  }
});
