import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AgentRuntime, type AgentSession } from "../../src/protocol/agents.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import {
  compactCommand,
  contextBar,
  contextNote,
  parkedGroups,
  isParkedByLog,
  isWaiting,
  retainedUntil,
  parkedFacts,
  resumeCommand,
  shapeOfAgent,
  bindingStateOf,
} from "../../web/model/lifecycle.ts";
import { appearanceOf } from "../../web/model/pane.ts";
import { parked as words } from "../../web/words/times.ts";
import { agentOf, NOW as LAST_SEEN, workOf } from "../review/works.ts";
import { pane } from "../support/pane.ts";
import { candidateOf } from "./agents/stage.ts";
import { forAll } from "../support/laws.ts";

const NOW = new Date(2026, 10, 23, 9, 41).getTime() / 1000;
const FREE = NOW + 4 * 3600 + 39 * 60;
const parked = (id: string, until: number | null, members: Partial<PaneState> = {}) =>
  pane({
    ...{ id, status: "error" as const, agent: { id: "agent_a", label: "Claude Code" } },
    ...{ parked: { reason: "5-hour limit", until, continues: false }, ...members },
  });
const then = (state: "set" | "sent" | "not_sent", at: number, reason: string | null = null) => ({
  continue_then: { state, at, text: "continue", reason },
});

test("an agent stopped by a limit appears as parked, and as stale where its pane is stale", () => {
  const held = parked("%1", FREE);
  expect(appearanceOf(held)).toBe("parked");
  expect(appearanceOf({ ...held, stale: true })).toBe("stale");
});

test("an agent without a pane is parked by its log, until it has ended", () => {
  const limit = { reason: "5-hour limit", until: FREE, continues: false };
  const logs = [
    { lifecycle: "error", parked: limit },
    ...([{ lifecycle: "error", parked: null }, { lifecycle: "error" }] as const),
    { lifecycle: "completed", parked: limit },
  ] as const;
  const held = logs.map((members) => isParkedByLog(agentOf(1, members)));
  expect(held).toEqual([true, false, false, false]);
});

test("agents stopped by a limit are grouped by the time it ends", () => {
  const panes = [
    parked("%1", FREE + 9000),
    parked("%2", null),
    parked("%3", FREE),
    parked("%4", FREE + 300),
    pane({ id: "%5" }),
    parked("%6", null),
  ];
  expect(parkedGroups(panes)).toEqual([
    { until: FREE, ids: ["%3", "%4"] },
    { until: FREE + 9000, ids: ["%1"] },
    { until: null, ids: ["%2", "%6"] },
  ]);
});

describe("the scheduled continuation of a parked agent", () => {
  const facts = (state: PaneState, canContinue = true) => parkedFacts(state, NOW, canContinue);

  const goesOn = { parked: { reason: "usage limit", until: FREE, continues: true } };
  test.each([
    ["is offered where the end of the limit lies ahead", parked("%1", FREE), true, true],
    ["is not offered where the server cannot continue", parked("%1", FREE), false, false],
    ["is not offered where the end is unknown", parked("%1", null), true, false],
    ["is not offered where the limit has ended", parked("%1", NOW - 1), true, false],
    ["is not offered where the agent continues by itself", parked("%1", FREE, goesOn), true, false],
  ])("%s", (_, state, canContinue, hasSwitch) => {
    expect(facts(state, canContinue)).toMatchObject({ hasSwitch, isOn: false });
  });

  test("can be taken back until it is sent", () => {
    expect(facts(parked("%1", NOW - 30, then("set", NOW + 60)))).toMatchObject({
      ...{ hasSwitch: true, isOn: true, fate: null },
    });
    expect(facts(pane({ status: "working", ...then("set", NOW) }))).toBeNull();
    expect(facts(pane())).toBeNull();
  });

  test("shows its outcome, and only for a while once the agent works again", () => {
    const sent = then("sent", NOW - 30);
    expect(facts(pane({ status: "working", ...sent }))?.fate?.state).toBe("sent");
    expect(parkedFacts(pane(sent), NOW + 600, true)).toBeNull();
    const kept = facts(parked("%1", NOW - 9000, then("not_sent", NOW - 8000, "it had changed")));
    expect(kept?.fate?.reason).toBe("it had changed");
  });
});

test.each([
  [FREE, "Parked, free at 14:20"],
  [NOW + 2 * 86_400, "Parked, free on 25 November at 09:41"],
  [NOW - 3600, "Parked, free since 08:41"],
  [null, "Parked"],
])("the end of a limit at %p is shown as %j", (until, told) => {
  expect(words.free(until, NOW)).toBe(told);
});

test("the time until the end of a limit is shown", () =>
  expect(words.freeAgain(FREE, NOW)).toBe("Free again at 14:20, in 4 h 39 min."));

test("a time beyond the calendar counts as unknown", () => {
  for (const until of [86_400_001_795_377_760, NOW + 400 * 86_400, -1e18, 1e308]) {
    expect(words.free(until, NOW)).toBe(words.free(null, NOW));
    expect(words.freeAgain(until, NOW)).toBe(words.freeAgain(null, NOW));
    for (const say of [words.continues, words.sent]) expect(say(until, NOW)).toContain("not say");
    expect(parkedFacts(parked("%1", until), NOW, true)?.hasSwitch).toBe(false);
  }
});

const full = (context_percent: number | null) => pane({ context_percent });

test.each([
  [69, null, null],
  [70, { percent: 70, isHigh: false }, null],
  [84, { percent: 84, isHigh: false }, null],
  [85, { percent: 85, isHigh: false }, "85 % of its context."],
  [89, { percent: 89, isHigh: false }, "89 % of its context."],
  [90, { percent: 90, isHigh: true }, "90 % of its context. It compacts soon."],
])("a context of %i percent has the bar %j and the note %j", (percent, bar, note) => {
  expect(contextBar(full(percent), null)).toEqual(bar);
  expect(contextNote(full(percent), null)).toBe(note);
  expect(contextBar(full(percent), null, 0)?.percent).toBe(percent);
});

test("the context of the screen goes before that of the log, and there is no bar without either", () => {
  const agent = { ...workOf(1).agent, context_percent: 70 };
  expect(contextBar(full(95), agent)?.percent).toBe(95);
  expect(contextBar(full(null), agent)?.percent).toBe(70);
  expect(contextBar(full(null), { ...agent, context_percent: null })).toBeNull();
  expect(contextBar(null, null)).toBeNull();
});

test.each([
  ["agent_a", "/compact"],
  ["agent_b", "/compact"],
  ["agent_d", "/compact"],
  ["gemini", null],
])("the compact command of %s is %p", (id, command) => {
  expect(compactCommand({ agent: { id, label: "" } })).toBe(command);
});

const NATIVE = "0198f2c4-77aa-7c12-9d03-5e1b6a7c8d90";
const free = (more: Partial<AgentSession> = {}) =>
  agentOf(1, { association: "unavailable", pane_id: null, ...more });
const open = (panes: readonly string[], more: Partial<AgentSession> = {}) =>
  free({
    association: "ambiguous",
    binding_candidates: panes.map((id) => candidateOf(id)),
    ...more,
  });

test.each([
  ["linked", agentOf(1)],
  ["linked", agentOf(1, { lifecycle: "completed" })],
  ["open", open(["%1", "%2"])],
  ["open", open(["%1"], { association: "probable" })],
  // Released: its program may still run there, however silent its log is.
  ["open", open(["%1"], { association: "unavailable", lifecycle: "offline" })],
  ["over", free({ lifecycle: "offline" })],
  ["over", free({ lifecycle: "completed" })],
  ["unknown", free({ lifecycle: "working" })],
  ["unknown", free({ association: "ambiguous" })],
] as const)("the binding state of a session is %s", (state, agent) => {
  expect(bindingStateOf(agent)).toBe(state);
});

describe("the resume command", () => {
  test("is the runtime's own, and absent for an unknown runtime", () => {
    const of = (runtime: "agent_a" | "agent_b" | "unknown") =>
      resumeCommand({ ...agentOf(1, { native_session_id: NATIVE }), runtime });
    expect([of("agent_a"), of("agent_b"), of("unknown")]).toEqual([
      ...[`claude --resume ${NATIVE}`, `codex resume ${NATIVE}`, null],
    ]);
  });

  test("for any id: holds nothing that a shell would interpret", () => {
    const ids = fc.oneof(
      fc.string(),
      fc.uuid(),
      fc.tuple(fc.uuid(), fc.string()).map(([id, more]) => id + more),
      fc.tuple(fc.string(), fc.uuid()).map(([more, id]) => more + id),
      fc.constantFrom(`${NATIVE}\n`, `${NATIVE};x`, `-${NATIVE}`, `$(x)`, ""),
    );
    forAll([ids, fc.constantFrom(...AgentRuntime.options)], (native_session_id, runtime) => {
      const command = resumeCommand(agentOf(1, { runtime, native_session_id }));
      return command === null || /^(claude --resume|codex resume) [0-9A-Fa-f-]{36}$/.test(command);
    });
  });
});

test("a session is retained for the server's days from its last event on", () => {
  expect(retainedUntil(agentOf(1), 30)).toBe(LAST_SEEN - 10 + 30 * 86_400);
  expect(retainedUntil(agentOf(1, { last_event_at: null, updated_at: 500 }), 1)).toBe(86_900);
});

describe("the list of sessions", () => {
  const agent = agentOf(1, { lifecycle: "idle", pending_decisions_count: 0 });
  test.each([
    ["nothing is asked", {}, null, false],
    ["its screen asks", {}, "needs_input", true],
    ["its log asks", { pending_decisions_count: 1 }, null, true],
    ["its log waits", { lifecycle: "waiting" }, null, true],
    ["it has ended", { lifecycle: "offline", pending_decisions_count: 1 }, null, false],
  ] as const)("has a session as waiting or not where %s", (_, members, status, waits) => {
    expect(isWaiting({ ...agent, ...members }, status && pane({ status }))).toBe(waits);
  });

  test("shows parked sessions apart from failed ones", () => {
    const parked = { reason: "5-hour limit", until: null, continues: false };
    const failed = { ...agent, lifecycle: "error" as const };
    expect(shapeOfAgent(failed, null)).toBe("error");
    expect(shapeOfAgent({ ...failed, parked }, null)).toBe("parked");
    expect(shapeOfAgent(failed, pane({ status: "error", parked }))).toBe("parked");
  });
});
