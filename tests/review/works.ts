import type { AgentSession, DecisionItem } from "../../src/protocol/agents.ts";
import type { Work } from "../../src/review/rank.ts";

export const NOW = 1_900_000_000;

export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

export function agentOf(n: number, more: Partial<AgentSession> = {}): AgentSession {
  const id = uuid(n);
  return {
    id,
    runtime: "agent_a",
    native_session_id: `native-${n}`,
    title: `session ${n}`,
    lifecycle: "idle",
    association: "confirmed",
    pane_id: `%${n}`,
    target: `work:${n}.0`,
    binding_revision: 1,
    revision: 1,
    capabilities: {
      association: "confirmed",
      context: "structured",
      chat_send: "idle_only",
      decision_reply: "verified_terminal",
      delivery_ack: "log_observed",
      runtime: "agent_a",
      parser_version: 1,
      observed_lag: null,
    },
    extraction_health: "ok",
    last_event_at: NOW - 10,
    created_at: NOW - 1000,
    updated_at: NOW - 10,
    context: {
      session_id: id,
      runtime: "agent_a",
      goal: null,
      current_task: null,
      progress_summary: null,
      completed_items: [],
      decisions: [],
      blockers: [],
      next_action: null,
      progress: null,
      estimated_completion: null,
      lifecycle: "idle",
      revision: 1,
      last_updated: NOW - 10,
      provenance: {},
      extraction_health: "ok",
      message_history_truncated: false,
    },
    pending_decisions_count: 0,
    binding_candidates: [],
    ...more,
  };
}

export function decisionOf(
  agent: number,
  n: number,
  more: Partial<DecisionItem> = {},
): DecisionItem {
  return {
    id: uuid(agent * 1000 + n),
    agent_id: uuid(agent),
    native_event_id: `event-${n}`,
    title: "Which way?",
    description: "",
    kind: "question",
    priority: "normal",
    options: [{ id: "1", label: "This way", description: "", recommended: false }],
    options_fingerprint: "0".repeat(64),
    recommendation: null,
    allow_custom: false,
    multi_select: false,
    status: "pending",
    revision: 1,
    binding_revision: 1,
    prompt_fingerprint: `sha256:${agent}-${n}`,
    review_status: "actionable",
    selected_option_id: null,
    created_at: NOW - 100,
    updated_at: NOW - 100,
    ...more,
  };
}

/** An agent with one snapshot that nobody has reviewed and that changed nothing. */
export function workOf(n: number, more: Partial<Work> = {}): Work {
  return {
    agent: agentOf(n),
    current: { id: uuid(n * 10), sequence: 3, at: NOW - 20 },
    baseline: null,
    changes: {},
    historyTruncated: false,
    firstUnreviewedAt: NOW - 50,
    decisions: [],
    ...more,
  };
}
