import { expect, test } from "bun:test";
import type { SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import { rank } from "../../../src/review/rank.ts";
import type { Pane } from "../../../web/model/pane.ts";
import { Panes } from "../../../web/state/server/panes.ts";
import { QueueStore } from "../../../web/state/server/queue.ts";
import { agentOf, decisionOf, NOW, workOf } from "../../review/works.ts";
import { pane } from "../../support/pane.ts";

function stage() {
  let groups: readonly SeenGroup[] | null = null;
  const reviewed: string[] = [];
  const panes = new Panes({ nowMs: () => 0, nextFrame: (run) => run() });
  const queue = new QueueStore({
    panes,
    groups: () => groups,
    since: (p) => p.prompt_since ?? 0,
    nowMs: () => 0,
    nowSeconds: () => NOW,
    held: () => false,
    review: (id) => void reviewed.push(id),
  });
  const show = (shown: readonly Pane[], read: readonly SeenGroup[] | null = null) => {
    groups = read;
    panes.take({ panes: [...shown], styles: new Map() });
    queue.follow();
  };
  return { queue, reviewed, show };
}

const asks = (id: string, since: number) =>
  pane({ id, status: "needs_input", prompt_since: since });
const crashed = (preview: readonly string[], updated = 1000) =>
  pane({ id: "%9", status: "error", preview: [...preview], updated });

test("the number counts the cards that wait, and no other", () => {
  const { queue, show } = stage();
  const group = rank([
    workOf(5, { agent: agentOf(5, { pane_id: null }), decisions: [decisionOf(5, 1)] }),
  ]);
  show([asks("%1", 1), asks("%2", 2), crashed(["boom"])], group);
  expect(queue.count.value).toBe(3);
});

test("an error that was put away comes back with the next output of its pane", () => {
  const { queue, show } = stage();
  show([crashed(["boom"])]);
  queue.putAway("pane:%9");
  expect(queue.sections.value).toEqual([]);
  show([crashed(["boom"], 2000)]);
  expect(queue.sections.value).toEqual([]);
  show([crashed(["boom", "again"], 3000)]);
  expect(queue.sections.value).toEqual([{ section: "errors", keys: ["pane:%9"] }]);
});

test("an entry stays one object through snapshots that say nothing new of it", () => {
  const { queue, show } = stage();
  show([asks("%1", 1)]);
  const before = queue.entry("pane:%1");
  show([{ ...asks("%1", 1), updated: 2000 }, asks("%2", 2)]);
  expect(queue.entry("pane:%1")).toBe(before);
});

test("the next card is the one below on the screen, around the end, and Later moves one there", () => {
  const { queue, show } = stage();
  show([asks("%1", 1), asks("%2", 2), crashed(["boom"])]);
  expect(queue.next("pane:%2", 1)).toBe("pane:%9");
  expect(queue.next("pane:%9", 1)).toBe("pane:%1");
  expect(queue.next(null, 1)).toBe("pane:%1");
  queue.later("pane:%1");
  expect(queue.next("pane:%2", 1)).toBe("pane:%1");
  queue.enter();
  expect(queue.next("pane:%1", 1)).toBe("pane:%2");
});

test("a mark goes to the agent of the card; a pane without one has none", () => {
  const { queue, reviewed, show } = stage();
  show([asks("%1", 1), asks("%3", 3)], rank([workOf(1, { decisions: [decisionOf(1, 1)] })]));
  queue.reviewed(`agent:${agentOf(1).id}`);
  queue.reviewed("pane:%3");
  expect(reviewed).toEqual([agentOf(1).id]);
});

test("a card whose answer from here is done makes room at once, one that asks again stays", () => {
  const { queue, show } = stage();
  show([asks("%1", 1), asks("%2", 2)]);
  show([pane({ id: "%1" }), asks("%2", 2)]);
  expect(queue.sections.value).toEqual([{ section: "waiting", keys: ["pane:%1", "pane:%2"] }]);
  queue.answered("%1");
  queue.answered("%2");
  expect(queue.sections.value).toEqual([{ section: "waiting", keys: ["pane:%2"] }]);
});
