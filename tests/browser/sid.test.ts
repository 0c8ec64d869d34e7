import { expect, test } from "bun:test";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { calm } from "../support/calm.ts";
import { PageLab } from "../support/page-lab.ts";

const lab = PageLab.ofFile();

test("over the real service: the line of an action names the session of the page that did it", async () => {
  const tmux = await lab.tmux();
  const pane = await tmux.open(["exec cat"]);
  const service = await lab.service({ tmux });
  await service.publishes(pane);
  const { page } = await lab.page(PHONE);
  const hello = page.waitForEvent("websocket").then((socket) =>
    socket.waitForEvent("framereceived", {
      predicate: ({ payload }) => String(payload).includes('"hello"'),
    }),
  );
  await page.goto(`${service.url}#/pane/${encodeURIComponent(pane)}`);
  const { sid } = JSON.parse(String((await hello).payload)) as { sid: string };
  expect(sid).toMatch(/^[0-9a-f]{8}$/);
  await page.locator("[data-composer]").fill("words");
  await calm(page);
  await page.getByRole("button", { name: "Send", exact: true }).tap();
  const actions = () =>
    service.log.flatMap(
      (line) => /action: (\w+) for (%\d+) .* by .*\((\w+)\) at/.exec(line)?.slice(1) ?? [],
    );
  await becomes(actions, ["text", pane, sid]);
});
