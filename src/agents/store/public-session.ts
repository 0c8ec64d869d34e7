import type {
  AgentContext,
  AgentLifecycle,
  AgentRuntime,
  AgentSession,
  ContextDecision,
} from "../../protocol/agents.ts";
import { contextOf, healthOf, logLifecycle, type SessionState } from "../logs/context.ts";
import type { Binding, LiveCapabilities, SessionFacts } from "../known.ts";

/** Of the readers; it grows when they would read the same log differently. */
export const PARSER_VERSION = 1;

const READ_ONLY: LiveCapabilities = { chat_send: "unavailable", decision_reply: "open_terminal" };

export interface SessionRecord {
  id: string;
  runtime: AgentRuntime;
  nativeId: string;
  createdAt: number;
  state: SessionState;
  facts: SessionFacts;
  binding: Binding;
  /** Of the live pane; null where the log decides. */
  lifecycle: AgentLifecycle | null;
  live: LiveCapabilities | null;
  lag: number | null;
  isTruncated: boolean;
}

/** The next public form of a record. Context and session have revisions of their own. */
export function renderSession(
  record: SessionRecord,
  before: AgentSession | null,
  decisions: readonly ContextDecision[],
  now: number,
): AgentSession {
  const { state, facts, binding } = record;
  const live = record.live ?? READ_ONLY;
  const lifecycle = record.lifecycle ?? logLifecycle(state);
  const seen = contextOf(state, {
    sessionId: record.id,
    runtime: record.runtime,
    lifecycle,
    decisions,
    health: healthOf(state),
    isTruncated: record.isTruncated,
  });
  return {
    id: record.id,
    runtime: record.runtime,
    native_session_id: record.nativeId,
    title: state.title?.text ?? seen.goal ?? "",
    lifecycle,
    association: binding.association,
    pane_id: binding.paneId,
    target: binding.target,
    binding_revision: binding.revision,
    revision: (before?.revision ?? 0) + 1,
    capabilities: {
      association: binding.association,
      context: "structured",
      ...live,
      delivery_ack: "log_observed",
      runtime: record.runtime,
      parser_version: PARSER_VERSION,
      observed_lag: record.lag,
    },
    extraction_health: healthOf(state),
    last_event_at: facts.lastAt,
    created_at: record.createdAt,
    updated_at: now,
    context: nextContext(before?.context ?? null, seen, now),
    pending_decisions_count: decisions.length,
    parked: state.limit
      ? { reason: state.limit.reason, until: state.limit.until, continues: false }
      : null,
    context_percent: state.contextPercent ?? null,
    binding_candidates: binding.association === "confirmed" ? [] : binding.candidates,
  };
}

function nextContext(
  before: AgentContext | null,
  seen: Omit<AgentContext, "revision" | "last_updated">,
  now: number,
): AgentContext {
  if (before === null) return { ...seen, revision: 1, last_updated: now };
  const { revision, last_updated, ...old } = before;
  const isSame = JSON.stringify(sorted(old)) === JSON.stringify(sorted(seen));
  return isSame ? before : { ...seen, revision: revision + 1, last_updated: now };
}

function sorted(context: object): [string, unknown][] {
  return Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Equal but for the counters that only say that something changed, and the reader's delay. */
export function isSameSession(before: AgentSession, after: AgentSession): boolean {
  const bare = (session: AgentSession) =>
    JSON.stringify({
      ...session,
      revision: 0,
      updated_at: 0,
      capabilities: { ...session.capabilities, observed_lag: null },
    });
  return bare(before) === bare(after);
}
