import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AgentRuntime, type AgentSession } from "../../../src/protocol/agents.ts";
import {
  isWaiting,
  keptUntil,
  resumeCommand,
  shapeOfAgent,
  standingOf,
} from "../../../web/model/lifecycle.ts";
import { agentHash, paneHash, parseRoute } from "../../../web/state/browser/router.ts";
import { NOW, agentOf } from "../../review/works.ts";
import { fixtureAgents } from "../../support/fixture-work.ts";
import { pane } from "../../support/pane.ts";
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
      fc.property(ids, fc.constantFrom(...AgentRuntime.options), (native_session_id, runtime) => {
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

describe("the list of sessions", () => {
  const agents = fixtureAgents().map(({ work }) => work.agent);
  test("knows who waits from the screen and from the log, but not from what has ended", () => {
    const [agent] = agents;
    if (agent === undefined) throw new Error("an agent");
    const idle = { ...agent, lifecycle: "idle" as const, pending_decisions_count: 0 };
    expect(isWaiting(idle, null)).toBe(false);
    expect(isWaiting(idle, pane({ status: "needs_input" }))).toBe(true);
    expect(isWaiting({ ...idle, pending_decisions_count: 1 }, null)).toBe(true);
    expect(isWaiting({ ...idle, lifecycle: "waiting" }, null)).toBe(true);
    const over = { ...idle, lifecycle: "offline" as const, pending_decisions_count: 1 };
    expect(isWaiting(over, null)).toBe(false);
  });

  test("has those that a limit holds apart from those that have failed", () => {
    const [agent] = agents;
    if (agent === undefined) throw new Error("an agent");
    const parked = { reason: "5-hour limit", until: null, continues: false };
    const failed = { ...agent, lifecycle: "error" as const, pending_decisions_count: 0 };
    expect(shapeOfAgent(failed, null)).toBe("error");
    expect(shapeOfAgent({ ...failed, parked }, null)).toBe("parked");
    expect(shapeOfAgent(failed, pane({ status: "error", parked }))).toBe("parked");
  });
});

describe("an address", () => {
  const page = { screen: "pane", id: "h:%7", tab: "screen", at: null } as const;

  test("names a pane, its tab, and what of it is looked at", () => {
    expect(parseRoute("#/pane/h%3A%257")).toEqual(page);
    expect(parseRoute("#/pane/h%3A%257/chat")).toEqual({ ...page, tab: "chat" });
    expect(parseRoute(paneHash("h:%7", "chat", "m/1"))).toEqual({
      ...page,
      tab: "chat",
      at: "m/1",
    });
    expect(parseRoute(paneHash("h:%7", "changes", "a/b.ts"))).toEqual({
      ...page,
      tab: "changes",
      at: "a/b.ts",
    });
  });

  test("names a session by itself, and one of its messages", () => {
    const session = { screen: "agent", id: "a/b", at: null, isDecisions: false } as const;
    expect(parseRoute("#/agent/a%2Fb")).toEqual(session);
    expect(parseRoute(agentHash("a/b", "m/1"))).toEqual({ ...session, at: "m/1" });
  });

  test("of before leads on", () => {
    expect(parseRoute("#/pane/h%3A%257/context")).toEqual({ ...page, tab: "chat" });
    expect(parseRoute("#/changes/h%3A%257/a%2Fb")).toEqual({ ...page, tab: "changes", at: "a/b" });
    expect(parseRoute("#/agent/x/now")).toMatchObject({ screen: "agent", id: "x", at: null });
    expect(parseRoute("#/agent/x/timeline")).toMatchObject({ screen: "agent", at: null });
    expect(parseRoute("#/agent/x/chat/m1")).toMatchObject({ screen: "agent", at: "m1" });
    expect(parseRoute("#/agent/x/decisions")).toMatchObject({ isDecisions: true });
    expect(parseRoute("#/agents")).toEqual({ screen: "tab", tab: "all" });
    expect(parseRoute("#/timeline")).toEqual({ screen: "tab", tab: "all" });
  });

  test("without a session, or with a broken one, is none", () => {
    expect(parseRoute("#/agent")).toBeNull();
    expect(parseRoute("#/agent/%E0%A4%A")).toBeNull();
  });
});
