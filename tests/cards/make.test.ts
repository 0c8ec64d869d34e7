import { expect, test } from "bun:test";
import fc from "fast-check";
import { makeCards } from "../../src/cards/cards.ts";
import { applyCards, diffCards } from "../../src/protocol/delta.ts";
import { Card } from "../../src/protocol/cards.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { rank, type ReviewWork } from "../../src/agents/review/rank.ts";
import { agentOf, decisionOf, NOW, reviewedUpTo, uuid, workOf } from "../review/works.ts";
import { pane } from "../support/pane.ts";
import { forAll } from "../support/laws.ts";

const facts = (panes: readonly PaneState[], works: readonly ReviewWork[] = [], now = NOW) => ({
  panes,
  groups: rank(works),
  now,
});
const cardsOf = (panes: readonly PaneState[], works: readonly ReviewWork[] = []) =>
  makeCards(facts(panes, works)).cards;
const blocker = { id: "b", title: "stuck", created_at: NOW - 5, source: "runtime_plan" as const };
const contextOf = (n: number, more: Partial<ReviewWork["agent"]["context"]>) => {
  const agent = agentOf(n);
  return { ...agent, context: { ...agent.context, ...more } };
};

test("cards stand in the order of their sections: urgent, then longest waiting, finished newest first", () => {
  const panes = [
    pane({ id: "%1", status: "needs_input", prompt_since: NOW - 60 }),
    pane({ id: "%2", status: "needs_input", prompt_since: NOW - 600 }),
    pane({ id: "%3", status: "needs_input", prompt_since: NOW - 1 }),
    pane({ id: "%4", status: "error", status_since: NOW - 30 }),
    pane({ id: "%5", status: "error", parked: { reason: "limit", until: null, continues: false } }),
    pane({ id: "%6", status: "idle", finished_at: NOW - 50 }),
    pane({ id: "%7", status: "idle", finished_at: NOW - 40 }),
    pane({ id: "%8", status: "working" }),
    pane({ id: "%9", status: "idle", finished_at: NOW - 3600 }),
  ];
  const works = [
    workOf(3, { decisions: [decisionOf(3, 1, { priority: "critical" })] }),
    workOf(8, { changes: { new_blockers: [blocker] } }),
    workOf(20, { changes: { goal_changed: { from: null, to: "ship" } } }),
  ];
  const cards = cardsOf(panes, works);
  expect(cards.map(({ section, key }) => [section, key])).toEqual([
    ["waiting", `agent:${uuid(3)}`],
    ["waiting", "pane:%2"],
    ["waiting", "pane:%1"],
    ["errors", "pane:%4"],
    ["blocked", `agent:${uuid(8)}`],
    ["changed", `agent:${uuid(20)}`],
    ["finished", "pane:%7"],
    ["finished", "pane:%6"],
    ["parked", "pane:%5"],
  ]);
  for (const card of cards) expect(Card.parse(card)).toEqual(card);
});

test("the card of a pane has the place of the pane and the command that its prompt asks for", () => {
  const [card] = cardsOf([
    pane({
      ...{ id: "%1", name: "auth", status: "needs_input", prompt_since: NOW - 60 },
      ...{ question: "Do you want to proceed?", evidence: ["Bash command", "", "npm test"] },
      hierarchy: [
        { kind: "session", id: "$1", label: "api", position: null },
        { kind: "window", id: "@1", label: "tests", position: 1 },
        { kind: "pane", id: "%1", label: "1", position: 1 },
      ],
    }),
  ]);
  expect(card).toMatchObject({
    ...{ title: "auth", place: "api › tests", since: NOW - 60, urgent: false },
    about: { kind: "command", text: "npm test" },
    ...{ lines: [], asks: { decision_id: null, more: 0 }, snapshot_id: null, newer: 0 },
  });
});

const WORK = {
  changes: { completed: [{ id: "c", title: "wrote it", completed_at: NOW - 9 }] },
  agent: contextOf(1, {
    ...{ goal: "ship", current_task: "tests", next_action: "release", blockers: [blocker] },
    progress_summary: "All is well.",
  }),
};

test("the card of an agent has at most four lines of its work, blockers first", () => {
  const [card] = cardsOf([], [workOf(1, WORK)]);
  expect(card).toMatchObject({ title: "session 1", place: "", newer: 1, snapshot_id: uuid(10) });
  expect(card?.lines).toEqual([
    { kind: "blocked", text: "stuck" },
    { kind: "goal", text: "ship" },
    { kind: "now", text: "tests" },
    { kind: "next", text: "release" },
  ]);
  const quiet = contextOf(2, { progress_summary: "All is well." });
  const changes = { goal_changed: { from: "old", to: null } };
  expect(cardsOf([], [workOf(2, { agent: quiet, changes })])[0]?.lines).toEqual([
    { kind: "said", text: "All is well." },
  ]);
});

test("a card joins a prompt with its own decision, and counts other decisions as more", () => {
  const prompt = pane({
    ...{ id: "%1", status: "needs_input", prompt_since: NOW - 9, question: "Go on?" },
    legacy_guard: { prompt_fingerprint: "sha256:1-2", options_fingerprint: "x", selected: null },
  });
  const decisions = [decisionOf(1, 1), decisionOf(1, 2, { kind: "plan_approval" })];
  const [card] = cardsOf([prompt], [workOf(1, { decisions })]);
  expect(card).toMatchObject({
    asks: { decision_id: uuid(1002), more: 1 },
    about: { kind: "plan", text: "Go on?" },
  });
  const [other] = cardsOf([{ ...prompt, legacy_guard: null }], [workOf(1, { decisions })]);
  expect(other).toMatchObject({ asks: { decision_id: null, more: 2 }, about: { text: "Go on?" } });
  const [unseen] = cardsOf([], [workOf(1, { decisions: [decisionOf(1, 1)] })]);
  expect(unseen).toMatchObject({ pane_id: null, about: { kind: "question", text: "Which way?" } });
});

test("an agent that is not confirmed in a pane and that pane have separate cards", () => {
  const panes = [pane({ id: "%1", status: "needs_input", prompt_since: NOW - 500 })];
  const agent = agentOf(1, { association: "probable" });
  const cards = cardsOf(panes, [workOf(1, { agent, decisions: [decisionOf(1, 1)] })]);
  expect(cards.map(({ key }) => key)).toEqual(["pane:%1", `agent:${uuid(1)}`]);
});

test("a card stands in the first section that applies, as finished for an hour or while it has changes", () => {
  const changes = { goal_changed: { from: null, to: "ship it" } };
  const sectionOf = (members: Partial<PaneState>, work: Partial<ReviewWork> = { changes }) =>
    cardsOf([pane({ id: "%1", prompt_since: 1, ...members })], [workOf(1, work)])[0]?.section;
  const blocked = { changes: { new_blockers: [blocker] } };
  expect(sectionOf({ status: "needs_input" })).toBe("waiting");
  expect(sectionOf({}, { ...blocked, decisions: [decisionOf(1, 1)] })).toBe("waiting");
  expect(sectionOf({ status: "error" })).toBe("errors");
  expect(sectionOf({ finished_at: NOW - 4000 }, blocked)).toBe("blocked");
  expect(sectionOf({ finished_at: NOW - 4000 })).toBe("finished");
  expect(sectionOf({ finished_at: NOW - 4000 }, {})).toBeUndefined();
  expect(sectionOf({})).toBe("changed");
  // A working pane may show only what a person types, who has not seen the result yet.
  expect(sectionOf({ status: "working", finished_at: NOW - 40 }, {})).toBe("finished");
});

test("a card can be marked for unreviewed changes, an error or degraded extraction, and for nothing else", () => {
  const markable = (work: Partial<ReviewWork>) =>
    cardsOf([], [workOf(1, work)]).map(({ snapshot_id }) => snapshot_id !== null);
  const changes = { goal_changed: { from: null, to: "ship it" } };
  expect(markable({ changes })).toEqual([true]);
  expect(markable({ agent: agentOf(1, { lifecycle: "error" }) })).toEqual([true]);
  const health = { extraction_health: "degraded:unknown_records" };
  expect(markable({ agent: agentOf(1, health), changes })).toEqual([true]);
  expect(markable({ decisions: [decisionOf(1, 1)] })).toEqual([false]);
  const reviewed = { ...reviewedUpTo(workOf(1).as_of_snapshot_sequence), changes };
  expect(markable({ ...reviewed, decisions: [decisionOf(1, 1)] })).toEqual([false]);
});

test("a card lists at most four news, in the order in which they need a person", () => {
  const done = (...titles: string[]) =>
    titles.map((title) => ({ id: title, title, completed_at: NOW }));
  const [card] = cardsOf(
    [],
    [
      workOf(1, {
        changes: {
          completed: done("first", "second"),
          goal_changed: { from: null, to: "ship it" },
          new_blockers: [blocker],
          resolved_blockers: [{ ...blocker, title: "free" }],
          decisions_resolved: [{ id: "d", title: "this way", created_at: 1 }],
          current_task_changed: { from: "x", to: "the third" },
          next_action_changed: { from: "x", to: null },
          lifecycle_changed: { from: "working", to: "completed" },
        },
      }),
    ],
  );
  const textsOf = (lines: readonly { kind: string; text: string }[] = []) =>
    lines.map(({ kind, text }) => `${kind} ${text}`);
  expect(card?.newer).toBe(8);
  expect(textsOf(card?.news)).toEqual([
    "blocked stuck",
    "goal ship it",
    "decided this way",
    "unblocked free",
  ]);
  const [working] = cardsOf(
    [],
    [
      workOf(1, {
        changes: { completed: done("a", "b"), current_task_changed: { from: "x", to: "c" } },
      }),
    ],
  );
  expect(textsOf(working?.news)).toEqual(["done b", "done a", "now c"]);
});

test("a card has the lifecycle and the extraction state of its agent, or no agent", () => {
  const [card] = cardsOf([], [workOf(1, WORK)]);
  expect(card?.agent).toMatchObject({
    lifecycle: "idle",
    parked: null,
    truncated: false,
    degraded: false,
  });
  expect(cardsOf([pane({ status: "error" })])[0]?.agent).toBeNull();
});

test("the card of a finished pane ends an hour after the end of its work", () => {
  const input = facts([pane({ status: "idle", finished_at: NOW - 3590 })]);
  const first = makeCards(input);
  expect(first.cards.length).toBe(1);
  expect(makeCards({ ...input, now: NOW + 9 }, first)).toBe(first);
  expect(makeCards({ ...input, now: NOW + 10 }, first).cards).toEqual([]);
});

const scene = fc.record({
  panes: fc.uniqueArray(
    fc.record({
      n: fc.integer({ min: 1, max: 5 }),
      status: fc.constantFrom("needs_input", "error", "working", "idle"),
      since: fc.integer({ min: 1, max: 9 }),
      isDone: fc.boolean(),
    }),
    { selector: ({ n }) => n },
  ),
  works: fc.uniqueArray(
    fc.record({
      n: fc.integer({ min: 1, max: 5 }),
      inPane: fc.integer({ min: 1, max: 5 }),
      association: fc.constantFrom("confirmed", "ambiguous"),
    }),
    { selector: ({ n }) => n },
  ),
});
const read = ({ panes, works }: typeof scene extends fc.Arbitrary<infer T> ? T : never) =>
  facts(
    panes.map(({ n, status, since, isDone }) =>
      pane({
        ...{ id: `%${n}`, status, prompt_since: since, status_since: since },
        finished_at: isDone ? NOW - 1 : null,
      }),
    ),
    works.map(({ n, inPane, association }) =>
      workOf(n, {
        agent: agentOf(n, { pane_id: `%${inPane}`, association }),
        changes: { new_blockers: [blocker] },
      }),
    ),
  );

test("law: cards made from earlier ones equal new ones, keep equal objects, are unique, and a delta leads to them", () => {
  forAll([scene, scene], (one, two) => {
    const before = makeCards(read(one));
    const next = makeCards(read(two), before);
    expect(next.cards).toEqual(makeCards(read(two)).cards);
    const known = new Map(before.cards.map((card) => [card.key, card]));
    for (const card of next.cards) {
      const was = known.get(card.key);
      if (was && Bun.deepEquals(was, card)) expect(card).toBe(was);
    }
    // Equal but other objects, as after another read of the store, give the same list.
    expect(makeCards(read(two), next).cards).toBe(next.cards);
    const delta = diffCards(before.cards, next.cards);
    const applied = delta ? applyCards(before.cards, delta) : before.cards;
    expect(applied).toEqual(next.cards);
    for (const ids of [
      next.cards.map(({ key }) => key),
      next.cards.flatMap((card) => card.pane_id ?? []),
    ])
      expect(new Set(ids).size).toBe(ids.length);
    const ranks = next.cards.map((card) => card.rank);
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  });
});
