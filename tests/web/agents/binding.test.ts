import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AGENT_RUNTIMES, type AgentSession } from "../../../src/protocol/agents.ts";
import {
  byConfidence,
  developmentOf,
  keptUntil,
  resumeCommand,
  standingOf,
} from "../../../web/model/binding.ts";
import { agentOf, NOW } from "../../review/works.ts";
import { candidateOf } from "./stage.ts";

const NATIVE = "0198f2c4-77aa-7c12-9d03-5e1b6a7c8d90";
const free = (more: Partial<AgentSession> = {}) =>
  agentOf(1, { association: "unavailable", pane_id: null, ...more });
const open = (panes: readonly string[], more: Partial<AgentSession> = {}) =>
  free({
    association: "ambiguous",
    binding_candidates: panes.map((id) => candidateOf(id)),
    ...more,
  });

describe("where a session stands", () => {
  test.each([
    ["linked", agentOf(1)],
    ["linked", agentOf(1, { lifecycle: "completed" })],
    ["open", open(["%1", "%2"])],
    ["open", open(["%1"], { association: "probable" })],
    // Let go: its program may still run there, however silent its log is.
    ["open", open(["%1"], { association: "unavailable", lifecycle: "offline" })],
    ["over", free({ lifecycle: "offline" })],
    ["over", free({ lifecycle: "completed" })],
    ["unknown", free({ lifecycle: "working" })],
    ["unknown", free({ association: "ambiguous" })],
  ] as const)("%s", (standing, agent) => {
    expect(standingOf(agent)).toBe(standing);
  });
});

describe("the command to go on with", () => {
  test("is the runtime's own", () => {
    const of = (runtime: "agent_a" | "agent_b") =>
      resumeCommand(agentOf(1, { runtime, native_session_id: NATIVE }));
    expect(of("agent_a")).toBe(`claude --resume ${NATIVE}`);
    expect(of("agent_b")).toBe(`codex resume ${NATIVE}`);
  });

  test("is not made up for a runtime that is not known", () => {
    const agent = { ...agentOf(1, { native_session_id: NATIVE }), runtime: "unknown" as const };
    expect(resumeCommand(agent)).toBeNull();
  });

  test("holds nothing that a shell would read, whatever the id is", () => {
    const ids = fc.oneof(
      fc.string(),
      fc.uuid(),
      fc.tuple(fc.uuid(), fc.string()).map(([id, more]) => id + more),
      fc.tuple(fc.string(), fc.uuid()).map(([more, id]) => more + id),
      fc.constantFrom(`${NATIVE}\n`, `${NATIVE};x`, `-${NATIVE}`, `$(x)`, ""),
    );
    fc.assert(
      fc.property(ids, fc.constantFrom(...AGENT_RUNTIMES), (native_session_id, runtime) => {
        const command = resumeCommand(agentOf(1, { runtime, native_session_id }));
        return (
          command === null || /^(claude --resume|codex resume) [0-9A-Fa-f-]{36}$/.test(command)
        );
      }),
    );
  });
});

test("what was read is kept for as long as the server says, from its last word on", () => {
  expect(keptUntil(agentOf(1), 30)).toBe(NOW - 10 + 30 * 86_400);
  expect(keptUntil(agentOf(1, { last_event_at: null, updated_at: 500 }), 1)).toBe(86_900);
});

describe("what becomes of a choice that is about to be made", () => {
  const drawn = open(["%1", "%2"], { binding_revision: 4 });
  test.each([
    ["same", open(["%1", "%2"], { binding_revision: 4, revision: 9 })],
    ["same", open(["%2", "%1"], { binding_revision: 4 })],
    ["renewed", open(["%1", "%2"], { binding_revision: 5 })],
    ["others", open(["%1", "%3"], { binding_revision: 4 })],
    ["others", open(["%1"], { binding_revision: 5 })],
    ["found", agentOf(1, { binding_revision: 5 })],
    ["none", free({ binding_revision: 5 })],
  ] as const)("%s", (development, now) => {
    expect(developmentOf(drawn, now)).toBe(development);
  });
});

test("what is likelier comes first, and equals stay as the server has them", () => {
  const [a, b, c] = [candidateOf("%1", 0.2), candidateOf("%2", 0.6), candidateOf("%3", 0.2)];
  expect(byConfidence([a, b, c])).toEqual([b, a, c]);
});
