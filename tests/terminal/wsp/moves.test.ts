import { expect, test } from "bun:test";
import type { Transition } from "../../../src/terminal/transitions.ts";
import { wspStage } from "../../support/wsp/provider.ts";
import { permission, runAgent, watched } from "../../support/wsp/watched.ts";

test.each([
  ["another workspace", true],
  ["another tab", false],
])("a waiting pane that moves to %s goes on waiting, and nothing of it is news", async (_, far) => {
  await using stage = await watched((each) => {
    runAgent(each, permission("Do you want to proceed?"), "blocked");
    each.open();
  });
  const { world, hub } = stage;
  const [pane] = world.panes;
  const before = hub.current.panes[0];
  const seen: Transition[] = [];
  hub.subscribe(({ transitions }) => void seen.push(...transitions));
  const space = far ? world.openWorkspace("other") : pane?.tab.workspace;
  if (!pane || !space) throw new Error("no pane");
  world.move(pane.id, world.openTab(space).id);
  const after = await stage.sees((panes) =>
    panes.some(
      ({ id }) =>
        id !== before?.id && panes.length === 2 && panes.every((each) => each.id !== before?.id),
    ),
  );
  expect(seen.map(({ kind }) => kind)).toEqual(["changed"]);
  const moved = after.find(({ status }) => status === "needs_input");
  expect(moved?.prompt_since).toBe(before?.prompt_since ?? -1);
  expect(moved?.action_guard?.endpoint_revision).not.toBe(before?.action_guard?.endpoint_revision);
});

test("a pane that moves while it is read is there in the same listing", async () => {
  const { signal } = new AbortController();
  await using stage = await wspStage();
  const [pane, other] = [stage.open(), stage.open()];
  const before = (await stage.provider.list(signal)).panes[0];
  const rule = { method: "pane.read", pane: other.id };
  stage.double.session().fail({ delayMs: 100 }, rule);
  const listing = stage.provider.list(signal);
  setTimeout(() => stage.world.move(pane.id, stage.world.openTab(pane.tab.workspace).id), 40);
  const { panes } = await listing;
  expect(panes).toHaveLength(2);
  expect(panes.map(({ identity }) => identity)).toContain(before?.identity ?? "");
  expect(panes.map(({ id }) => id)).not.toContain(before?.id);
});
