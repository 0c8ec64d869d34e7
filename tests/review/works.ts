import { AgentSession, DecisionItem } from "../../src/protocol/agents.ts";
import type { ReviewWork } from "../../src/agents/review/rank.ts";
import { fixture } from "../support/fixture.ts";

export const NOW = 1_900_000_000;

export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

export function agentOf(n: number, more: Partial<AgentSession> = {}): AgentSession {
  const shared = { lifecycle: "idle", revision: 1, extraction_health: "ok" } as const;
  const made = fixture(AgentSession, {
    ...shared,
    ...{ id: uuid(n), native_session_id: `native-${n}`, title: `session ${n}` },
    ...{ runtime: "agent_a", pane_id: `%${n}`, target: `work:${n}.0`, binding_revision: 1 },
    ...{ last_event_at: NOW - 10, created_at: NOW - 1000, updated_at: NOW - 10 },
    capabilities: {
      ...{ runtime: "agent_a", chat_send: "idle_only", decision_reply: "verified_terminal" },
      parser_version: 1,
    },
    context: { ...shared, session_id: uuid(n), runtime: "agent_a", last_updated: NOW - 10 },
  });
  return { ...made, ...more };
}

export function decisionOf(
  agent: number,
  n: number,
  more: Partial<DecisionItem> = {},
): DecisionItem {
  const made = fixture(DecisionItem, {
    ...{ id: uuid(agent * 1000 + n), agent_id: uuid(agent), native_event_id: `event-${n}` },
    ...{ title: "Which way?", priority: "normal", status: "pending" },
    options: [{ id: "1", label: "This way", description: "", recommended: false }],
    options_fingerprint: "0".repeat(64),
    prompt_fingerprint: `sha256:${agent}-${n}`,
    ...{ revision: 1, binding_revision: 1, created_at: NOW - 100, updated_at: NOW - 100 },
  });
  return { ...made, ...more };
}

/** The mark of a person who has seen the snapshot of this sequence. */
export const reviewedUpTo = (sequence: number) => ({
  ...{ reviewed_snapshot_id: uuid(1), reviewed_snapshot_sequence: sequence },
  ...{ reviewed_snapshot_at: NOW - 20, reviewed_at: NOW - 5 },
});

/** An agent with one snapshot that nobody has reviewed and that changed nothing. */
export function workOf(n: number, more: Partial<ReviewWork> = {}): ReviewWork {
  return {
    agent: agentOf(n),
    ...{ as_of_snapshot_id: uuid(n * 10), as_of_snapshot_sequence: 3 },
    ...{ as_of_snapshot_at: NOW - 20, first_unreviewed_at: NOW - 50 },
    ...{ reviewed_snapshot_id: null, reviewed_snapshot_sequence: 0, reviewed_snapshot_at: null },
    ...{ reviewed_at: null, changes: {} },
    decisions: [],
    ...more,
  };
}
