import { computed, signal } from "@preact/signals";
import { expect, test } from "bun:test";
import type { SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import { waitingAgents } from "../../../src/protocol/waiting.ts";
import { rank } from "../../../src/review/rank.ts";
import type { Pane } from "../../../web/model/pane.ts";
import { GoThrough } from "../../../web/state/server/pass.ts";
import { NOW, agentOf, decisionOf, workOf } from "../../review/works.ts";
import { serverOf } from "../../support/page-server.ts";
import { pane } from "../../support/pane.ts";

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

/** Two that wait, an error, and one that finished. */
const asking = (id: string) =>
  pane({ id, status: "needs_input", prompt_since: Number(id.slice(1)) });
const failing = pane({ id: "%3", status: "error" });
const done = pane({ id: "%4", finished_at: 900 });
const idle = (id: string) => pane({ id });

function goThrough() {
  const clock = { ms: 0, swaps: new Array<number>() };
  const shield = { raise: () => clock.swaps.push(clock.ms) };
  const server = serverOf({
    ...{ nowMs: () => clock.ms, untouchedMs: () => 0 },
    browser: { clock: { now: signal(1000) }, layout: { columns: signal(1) }, shield },
  });
  const { panes, queue } = server;
  const show = (...shown: ReturnType<typeof pane>[]) => {
    panes.take({ panes: shown, styles: new Map() });
    queue.follow();
  };
  show(asking("%1"), asking("%2"), failing, done);
  queue.enter();
  const part = new GoThrough(server);
  part.begin();
  const key = () => part.stop.value?.key ?? null;
  const place = () => part.place.value;
  return { clock, part, queue, show, key, place };
}

test("goes over all sections, and says the place in each", () => {
  const { part, key, place } = goThrough();
  const seen: unknown[] = [];
  for (; key() !== null; part.step(1))
    seen.push([key(), place()?.section, place()?.n, place()?.of]);
  expect(seen).toEqual([
    ["pane:%1", "waiting", 1, 2],
    ["pane:%2", "waiting", 2, 2],
    ["pane:%3", "errors", 1, 1],
    ["pane:%4", "finished", 1, 1],
  ]);
  expect(part.left()).toHaveLength(4);
});

test("keeps the order that it began with, and skips what was handled elsewhere", () => {
  const { part, show, key } = goThrough();
  show(asking("%1"), idle("%2"), failing, done, asking("%5"));
  part.step(1);
  expect(key()).toBe("pane:%3");
  part.step(-1);
  expect(key()).toBe("pane:%1");
  part.step(-1);
  expect(key()).toBe("pane:%1");
});

test("one that is over stays on the screen until a person, or its own end, leads on", () => {
  const { part, show, key } = goThrough();
  const first = part.stop.value;
  show(idle("%1"), asking("%2"), failing, done);
  expect(key()).toBe("pane:%1");
  expect(first && part.isGone(first)).toBe(true);
  if (first) part.advance(first);
  expect(key()).toBe("pane:%2");
  // It was led on already: a second word of the same end leads nowhere.
  if (first) part.advance(first);
  expect(key()).toBe("pane:%2");
});

test("Later puts the card to the end of its section too, and the end lists what is left", () => {
  const { part, queue, show, key } = goThrough();
  part.later();
  expect(queue.order.value.waiting.map((slot) => slot.key)).toEqual(["pane:%2", "pane:%1"]);
  expect(key()).toBe("pane:%2");
  show(asking("%1"), idle("%2"), idle("%3"), idle("%4"));
  part.step(1);
  expect(key()).toBeNull();
  expect(part.left()).toEqual([{ key: "pane:%1", section: "waiting" }]);
  // Back from the end to the last that is left.
  part.step(-1);
  expect(key()).toBe("pane:%1");
});

test("says when another card came under the finger", () => {
  const { clock, part } = goThrough();
  clock.ms = 700;
  part.step(-1);
  expect(clock.swaps).toEqual([0]);
  part.step(1);
  expect(clock.swaps).toEqual([0, 700]);
});
