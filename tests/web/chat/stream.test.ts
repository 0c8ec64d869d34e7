import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type {
  SeenMessage,
  SeenStep,
  SeenTimelineEvent,
} from "../../../src/protocol/tolerant-agents.ts";
import type { SeenAct } from "../../../src/protocol/tolerant-record.ts";
import {
  keepBlocks,
  listedSteps,
  MAX_LINES,
  partOf,
  streamOf,
  type Line,
  type Told,
} from "../../../web/model/chat/stream.ts";
import { happenings } from "../../../web/model/timeline.ts";
import { joined } from "../../../web/state/server/agents/steps.ts";
import { uuid } from "../../review/works.ts";
import { fixtureAgents, messageOf } from "../../support/fixture-work.ts";

const message = (at: number, content = "words"): SeenMessage => ({
  ...messageOf("one", "assistant", content, at),
  id: uuid(at),
});
const step = (
  at: number,
  kind: SeenStep["kind"] = "run",
  more: Partial<SeenStep> = {},
): SeenStep => ({
  ...{ id: `s${at}`, at, kind, title: `step ${at}`, added: null, removed: null, state: "done" },
  ...more,
});
const [sample] = fixtureAgents()[0]?.events ?? [];
const event = (
  id: string,
  at: number,
  delta: SeenTimelineEvent["delta"] = {},
  type: SeenTimelineEvent["type"] = "completed",
): SeenTimelineEvent => {
  if (sample === undefined) throw new Error("an event");
  return { ...sample, id, type, delta, title: "", occurred_at: at, created_at: at, context: null };
};
const item = (title: string) => ({ id: title, title, completed_at: 1, created_at: 1 });
const act = (at: number, kind: SeenAct["kind"] = "select"): SeenAct => ({
  ...{ key: `k${at}`, pane_id: "%1", target: "a:0.0", kind, label: "Yes", about: null },
  ...{ by: { grant: "g", name: "Pixel 9" }, at, state: "confirmed", reason: null, seq: at },
});
const told = (more: Partial<Told>): Told => ({
  ...{ messages: [], hasOlder: false, hasNewer: false, steps: [], events: [], open: 0, acts: [] },
  ...{ reviewedAt: null, ...more },
});
const brief = (lines: readonly Line[]) =>
  lines.map((line) =>
    line.kind === "steps" ? `steps ${line.steps.map(({ at }) => at)}` : `${line.kind} ${line.at}`,
  );

describe("a chat", () => {
  test("tells all in the order of time, and what was done between two lines together", () => {
    const lines = streamOf(
      told({
        messages: [message(10), message(50)],
        steps: [step(5), step(11), step(12), step(31), step(60)],
        events: [event("e", 30, { completed: [item("tests")] })],
        acts: [act(40), act(41, "text")],
        reviewedAt: 45,
      }),
      [],
    );
    expect(brief(lines)).toEqual([
      "steps 5",
      "message 10",
      "steps 11,12",
      "event 30",
      "steps 31",
      "act 40",
      "reviewed 45",
      "message 50",
      "steps 60",
    ]);
    expect(brief(partOf(lines, "said"))).toEqual(["message 10", "reviewed 45", "message 50"]);
    expect(brief(partOf(lines, "decisions"))).toEqual(["act 40"]);
    expect(brief(partOf(lines, "steps"))).toEqual([
      "steps 5",
      "steps 11,12",
      "steps 31",
      "steps 60",
    ]);
  });

  test("tells nothing of a time whose messages are not there", () => {
    const some = { messages: [message(10), message(20)], steps: [step(5), step(15), step(25)] };
    const others = { acts: [act(1), act(30)], reviewedAt: 3 };
    const cut = streamOf(told({ ...some, ...others, hasOlder: true, hasNewer: true }), []);
    expect(brief(cut)).toEqual(["message 10", "steps 15", "message 20"]);
  });

  test("keeps what says the same, however it was read", () => {
    const all = told({ messages: [message(10), message(20)], steps: [step(11), step(12)] });
    const before = streamOf(all, []);
    const again = streamOf(
      told({ messages: [message(10), message(20)], steps: [step(11), step(12), step(21)] }),
      before,
    );
    expect(again.slice(0, 3).every((line, i) => line === before[i])).toBe(true);
    const failed = streamOf(
      { ...all, steps: [step(11), step(12, "run", { state: "failed" })] },
      before,
    );
    expect(failed.map((line, i) => line === before[i])).toEqual([true, false, true]);
  });
});

describe("blocks of a chat", () => {
  const line = (n: number, length = 5): Line => ({
    ...{ kind: "message", key: uuid(n), at: n, message: message(n, "x".repeat(length)) },
  });
  const run = (from: number, until: number) =>
    Array.from({ length: until - from }, (_, i) => line(from + i));

  test("hold every line once, in order, and are bounded", () => {
    const sizes = fc.array(fc.nat(9000), { maxLength: 80 });
    fc.assert(
      fc.property(sizes, (all) => {
        const lines = all.map((size, n) => line(n, size));
        const blocks = keepBlocks([], lines, lines[7]?.key ?? null);
        expect(blocks.flatMap((block) => block.lines)).toEqual(lines);
        const longest = Math.max(0, ...blocks.map((block) => block.lines.length));
        expect(longest).toBeLessThanOrEqual(MAX_LINES);
        if (lines[7]) expect(blocks.map(({ key }) => key)).toContain(lines[7].key);
      }),
    );
  });

  test("stay as they are where something comes at either end", () => {
    fc.assert(
      fc.property(fc.nat(120), fc.nat(60), fc.nat(60), (middle, older, newer) => {
        const own = run(1000, 1000 + middle);
        const before = keepBlocks([], own);
        const all = [
          ...run(1000 - older, 1000),
          ...own,
          ...run(1000 + middle, 1000 + middle + newer),
        ];
        const after = keepBlocks(before, all);
        expect(after.flatMap((block) => block.lines)).toEqual(all);
        const kept = before.slice(0, newer > 0 ? -1 : undefined);
        expect(kept.every((block) => after.includes(block))).toBe(true);
      }),
    );
  });
});

describe("what happened", () => {
  const brief = (events: readonly SeenTimelineEvent[], open = 0) =>
    happenings(events, open).map(({ kind, items }) =>
      [kind, ...items.map(({ title }) => title)].join(" "),
    );
  const blocker = (title: string) => ({ ...item(title), source: "runtime_plan" as const });

  test("is all that an event brought and that is worth a line", () => {
    const delta = {
      completed: [item("tests")],
      new_blockers: [blocker("no key")],
      decisions_added: [item("Which port?")],
      goal_changed: { from: null, to: "Ship it" },
      current_task_changed: { from: null, to: "Write docs" },
      lifecycle_changed: { from: "working", to: "completed" },
    };
    expect(brief([event("a", 1, delta)])).toEqual([
      ...["finished", "goal Ship it", "blocked no key", "done tests", "asked Which port?"],
    ]);
    expect(brief([event("a", 1, { next_action_changed: { from: null, to: "x" } })])).toEqual([]);
    expect(brief([event("a", 1, { goal_changed: { from: "old", to: null } })])).toEqual([]);
  });

  test("still waits as often as decisions are open, the newest first", () => {
    const asked = (id: string, at: number) =>
      event(id, at, { decisions_added: [item(id)] }, "decision");
    expect(brief([asked("new", 300), asked("old", 100)], 1)).toEqual(["asked old", "waits new"]);
  });

  test("is said once where it was told twice in a minute", () => {
    const twice = { completed: [item("tests")] };
    expect(brief([event("b", 130, twice), event("a", 100, twice)])).toEqual(["done tests"]);
    expect(brief([event("b", 330, twice), event("a", 100, twice)])).toHaveLength(2);
  });
});

test("reads in a row are one line", () => {
  const listed = listedSteps([
    ...[step(1, "read"), step(2, "read"), step(3, "edit"), step(4, "read")],
    step(5, "read", { state: "failed" }),
  ]);
  const named = listed.map((one) =>
    one.kind === "reads" ? `${one.steps.length} reads` : one.step.kind,
  );
  expect(named).toEqual(["2 reads", "edit", "1 reads", "read"]);
});

test("stretches of steps join where they meet, the newer word wins, and else stand alone", () => {
  const stretch = (from: number | null, to: number | null, ...ats: number[]) => ({
    ...{ steps: ats.map((at) => step(at)), from, to },
  });
  const known = stretch(10, null, 11, 20);
  const met = joined(known, {
    ...stretch(5, 15, 6, 11),
    steps: [step(6), step(11, "run", { state: "failed" })],
  });
  expect([met.from, met.to, met.steps.map(({ at }) => at)]).toEqual([5, null, [6, 11, 20]]);
  expect(met.steps[1]?.state).toBe("failed");
  const apart = stretch(1, 4, 2);
  expect(joined(known, apart)).toEqual(apart);
  expect(joined(null, apart)).toEqual(apart);
});
