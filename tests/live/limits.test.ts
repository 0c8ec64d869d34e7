// A real agent program whose model answers that a limit is reached: what the service says of it.
import { expect, test } from "bun:test";
import type { PaneState } from "../../src/protocol/pane.ts";
import { labOfFile } from "./lab.ts";

const QUIET_MS = 4000;

const stage = labOfFile();

test("Codex is parked without a time where it tells none, and nothing is sent by itself", async () => {
  const { agent, service } = await stage.start({ agent: "codex", state: "error-usage-limit" });
  const isParked = ({ parked }: PaneState) => parked !== null;
  const { id, status, parked, lines } = await service.see(agent.pane, "be parked", isParked);
  expect(status).toBe("error");
  expect(lines.join(" ")).toContain("usage limit");
  expect(parked).toMatchObject({ until: null, continues: false });
  const before = await agent.modelTexts();
  const reply = await service.call("POST", "/api/continue", {
    id,
    on: true,
    until: Date.now() / 1000 + 60,
  });
  expect(reply).toMatchObject({ status: 409, body: { detail: { code: "not_parked" } } });
  await Bun.sleep(QUIET_MS);
  expect(await agent.modelTexts()).toEqual(before);
});
