import { expect, test } from "bun:test";
import { computed, signal } from "@preact/signals";
import type { SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import { waitingAgents } from "../../../src/protocol/waiting.ts";
import { rank } from "../../../src/review/rank.ts";
import type { Pane } from "../../../web/model/pane.ts";
import { agentOf, decisionOf, NOW, workOf } from "../../review/works.ts";
import { pane } from "../../support/pane.ts";
import { serverOf } from "../../support/page-server.ts";

function stage() {
  const untouched = { ms: Infinity };
  const groups = signal<readonly SeenGroup[] | null>(null);
  const review = computed(() => groups.value && { groups: groups.value });
  const waiting = computed(() => ({ waiting: waitingAgents(groups.value ?? []) }));
  const agents = signal({ review: { value: review }, summary: { value: waiting } });
  const server = serverOf({
    ...{ nowMs: () => 0, untouchedMs: () => untouched.ms, workspace: { current: agents } },
    browser: {
      ...{ clock: { now: signal(NOW) }, shield: { raise: () => {} } },
      layout: { columns: signal(1) },
    },
  });
  const { panes, queue } = server;
  const show = (shown: readonly Pane[], read: readonly SeenGroup[] | null = null) => {
    groups.value = read;
    panes.take({ panes: [...shown], styles: new Map() });
    queue.follow();
  };
  const read = (known: readonly SeenGroup[]) => {
    groups.value = known;
    queue.follow();
  };
  return { queue, show, read, untouched };
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
  expect(queue.sections.value.map(({ section }) => section)).toEqual(["errors"]);
  expect(queue.keys.value).toEqual(["pane:%9"]);
});

test("an entry stays one object through snapshots that say nothing new of it", () => {
  const { queue, show } = stage();
  show([asks("%1", 1)]);
  const before = queue.entry("pane:%1");
  show([{ ...asks("%1", 1), updated: 2000 }, asks("%2", 2)]);
  expect(queue.entry("pane:%1")).toBe(before);
});

test("Later moves a card to the end of its section, until the queue is entered again", () => {
  const { queue, show } = stage();
  show([asks("%1", 1), asks("%2", 2), crashed(["boom"])]);
  queue.later("pane:%1");
  expect(queue.keys.value).toEqual(["pane:%2", "pane:%1", "pane:%9"]);
  queue.enter();
  expect(queue.keys.value).toEqual(["pane:%1", "pane:%2", "pane:%9"]);
});

test("what agents ask takes its place in the order at once, but not under a hand", () => {
  const read = rank([
    workOf(1, {
      agent: agentOf(1, { pane_id: null }),
      decisions: [decisionOf(1, 1, { priority: "critical" })],
    }),
  ]);
  const calm = stage();
  calm.show([asks("%1", 1)]);
  calm.show([asks("%1", 1)], read);
  expect(calm.queue.keys.value).toEqual([`agent:${agentOf(1).id}`, "pane:%1"]);
  const touched = stage();
  touched.show([asks("%1", 1)]);
  touched.untouched.ms = -1;
  touched.show([asks("%1", 1)], read);
  expect(touched.queue.keys.value).toEqual(["pane:%1", `agent:${agentOf(1).id}`]);
});

test("agents that are read before the panes come with these, each on the card of its pane", () => {
  const { queue, show, read } = stage();
  const agent = agentOf(1, { pane_id: "%1" });
  const groups = rank([workOf(1, { agent, decisions: [decisionOf(1, 1)] })]);
  read(groups);
  expect(queue.keys.value).toEqual([]);
  const made = queue.made.value;
  show([asks("%2", 2), asks("%1", 1)], groups);
  expect(queue.keys.value).toEqual([`agent:${agent.id}`, "pane:%2"]);
  expect(queue.entry(`agent:${agent.id}`)?.paneId).toBe("%1");
  // One order with all of it: nothing has arrived since.
  expect(queue.made.value).toBe(made + 1);
});

test("where the selected card goes, the one that comes up in its place is selected", () => {
  const { queue, show } = stage();
  const { chosen } = queue;
  chosen.settle();
  expect(chosen.key.value).toBeNull();
  show([asks("%1", 1), asks("%2", 2), asks("%3", 3)]);
  chosen.settle();
  expect([chosen.key.value, chosen.place.value]).toEqual(["pane:%1", 1]);
  chosen.choose("pane:%2");
  chosen.settle();
  show([asks("%1", 1), asks("%3", 3)]);
  queue.enter();
  chosen.settle();
  expect(chosen.key.value).toBe("pane:%3");
  show([asks("%1", 1)]);
  queue.enter();
  chosen.settle();
  expect(chosen.key.value).toBe("pane:%1");
});

test("whoever is led on comes to the next card below that is left, and stays where there is none", () => {
  const { queue, show } = stage();
  show([asks("%1", 1), asks("%2", 2), asks("%3", 3)]);
  queue.chosen.choose("pane:%1");
  queue.chosen.lead((key) => key !== "pane:%2");
  expect([queue.chosen.key.value, queue.chosen.led.value]).toEqual(["pane:%3", 1]);
  queue.chosen.lead(() => true);
  expect([queue.chosen.key.value, queue.chosen.led.value]).toEqual(["pane:%3", 2]);
});

test("a card whose answer from here is done makes room at once, one that asks again stays", () => {
  const { queue, show } = stage();
  show([asks("%1", 1), asks("%2", 2)]);
  show([pane({ id: "%1" }), asks("%2", 2)]);
  expect(queue.keys.value).toEqual(["pane:%1", "pane:%2"]);
  queue.answered("%1");
  queue.answered("%2");
  expect(queue.keys.value).toEqual(["pane:%2"]);
});
