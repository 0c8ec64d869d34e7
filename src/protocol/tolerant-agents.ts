import type {
  AgentEvent,
  AgentList,
  AgentResume,
  DecisionList,
  MessageList,
  Timeline,
} from "./agent-replies.ts";
import type {
  AgentCapabilities,
  AgentContext,
  AgentLifecycle,
  AgentProgress,
  AgentSession,
  Association,
  BindingCandidate,
  Blocker,
  ChatMessage,
  CompletedItem,
  ContextDecision,
  ContextDelta,
  DecisionItem,
  DecisionOption,
  TimelineEvent,
} from "./agents.ts";
import {
  added,
  flag,
  list,
  nullable,
  number,
  object,
  open,
  type Reader,
  type Reading,
  reading,
  record,
  text,
  texts,
  type Unknown,
} from "./read.ts";
import type {
  AttentionReason,
  RankReason,
  Review,
  ReviewCounts,
  ReviewDue,
  Reviewed,
  ReviewGroup,
  ReviewSettings,
  TerminalItem,
} from "./review.ts";

// What a client reads of the agent workspace; how it reads: `read.ts`. It loads with the workspace.

/** `Open<T, K>`: members `K` may hold a value that this client does not know. */
type Open<T, K extends keyof T> = Omit<T, K> & { [M in K]: T[M] | Unknown };

export type SeenContext = Omit<AgentContext, "lifecycle" | "provenance" | "runtime"> & {
  runtime: string;
  lifecycle: AgentLifecycle | Unknown;
  provenance: Record<string, unknown>;
};
export type SeenAgentCapabilities = Open<
  Omit<AgentCapabilities, "context" | "delivery_ack" | "runtime" | "parser_version">,
  "association" | "chat_send" | "decision_reply"
>;
export type SeenAgent = Omit<
  AgentSession,
  "runtime" | "lifecycle" | "association" | "capabilities" | "context"
> & {
  runtime: string;
  lifecycle: AgentLifecycle | Unknown;
  association: Association | Unknown;
  capabilities: SeenAgentCapabilities;
  context: SeenContext;
};
export type SeenDecision = Omit<
  Open<DecisionItem, "kind" | "priority" | "status" | "review_status">,
  "allow_custom"
> & { allow_custom: boolean };
export type SeenMessage = Open<ChatMessage, "role" | "status">;
export type SeenTimelineEvent = Omit<Open<TimelineEvent, "type">, "context"> & {
  context: SeenContext | null;
};
export type SeenResume = Omit<AgentResume, "agent" | "decisions" | "pending_decisions"> & {
  agent: { id: string; context: SeenContext };
  pending_decisions: SeenDecision[];
};
export type SeenGroup = Omit<
  ReviewGroup,
  "agent" | "decisions" | "rank_reason" | "attention_reasons"
> & {
  agent: SeenAgent;
  decisions: SeenDecision[];
  rank_reason: RankReason | Unknown;
  attention_reasons: (AttentionReason | Unknown)[];
};
export type SeenTerminalItem = Omit<Open<TerminalItem, "status">, "acknowledgeable">;
export type SeenReviewSettings = Omit<ReviewSettings, "urgent_bypass"> & {
  urgent_bypass: { pane_errors: boolean };
};
export type SeenReview = Omit<Review, "version" | "groups" | "terminal_items" | "settings"> & {
  settings: SeenReviewSettings;
  groups: SeenGroup[];
  terminal_items: SeenTerminalItem[];
};
export type SeenAgentEvent = Omit<Open<AgentEvent, "kind">, "resources">;

export type SeenAgentFrame =
  | { type: "hello" | "ping"; cursor: number }
  | { type: "reset"; cursor: number; reason: string }
  | { type: "agent_event"; cursor: number; event: SeenAgentEvent }
  /** A frame of a newer server: to be ignored. */
  | { type: "unknown" };

export type SeenAgentList = Omit<AgentList, "agents"> & { agents: SeenAgent[] };
export type SeenDecisionList = Omit<DecisionList, "decisions"> & { decisions: SeenDecision[] };
export type SeenTimeline = Omit<Timeline, "events"> & { events: SeenTimelineEvent[] };
export type SeenMessageList = Omit<MessageList, "messages" | "filters"> & {
  messages: SeenMessage[];
};

const lifecycle = open<AgentLifecycle>({
  observing: true,
  working: true,
  idle: true,
  waiting: true,
  completed: true,
  error: true,
  offline: true,
});
const association = open<Association>({
  confirmed: true,
  probable: true,
  ambiguous: true,
  unavailable: true,
});
const completedItem = object<CompletedItem>({ id: text, title: text, completed_at: number });
const contextDecision = object<ContextDecision>({ id: text, title: text, created_at: number });
const blocker = object<Blocker>({
  id: text,
  title: text,
  created_at: number,
  source: open({ runtime_plan: true, runtime_task: true }) as Reader<Blocker["source"]>, // Shown nowhere.
});
const progress = object<Omit<AgentProgress, "source">>({
  completed: number,
  total: number,
  percent: number,
}) as Reader<AgentProgress>; // Its source is one word.

const context = object<SeenContext>({
  session_id: text,
  runtime: text,
  goal: nullable(text),
  current_task: nullable(text),
  progress_summary: nullable(text),
  completed_items: list(completedItem),
  decisions: list(contextDecision),
  blockers: list(blocker),
  next_action: nullable(text),
  progress: nullable(progress),
  estimated_completion: nullable(text),
  lifecycle,
  revision: number,
  last_updated: number,
  provenance: record,
  extraction_health: added(text, "ok"),
  message_history_truncated: added(flag, false),
});

const candidate = object<BindingCandidate>({
  id: text,
  pane_id: text,
  target: text,
  pane_target: text,
  label: text,
  confidence: number,
  reasons: added(texts, []),
});

const agent = object<SeenAgent>({
  id: text,
  runtime: text,
  native_session_id: added(text, ""),
  title: added(text, ""),
  lifecycle,
  association,
  pane_id: nullable(text),
  target: nullable(text),
  binding_revision: number,
  revision: number,
  capabilities: object<SeenAgentCapabilities>({
    association,
    chat_send: open({ unavailable: true, idle_only: true }),
    decision_reply: open({ open_terminal: true, verified_terminal: true }),
    observed_lag: added(nullable(number), null),
  }),
  extraction_health: text,
  last_event_at: nullable(number),
  created_at: number,
  updated_at: number,
  context,
  pending_decisions_count: added(number, 0),
  binding_candidates: added(list(candidate), []),
});

const decision = object<SeenDecision>({
  id: text,
  agent_id: text,
  native_event_id: added(text, ""),
  title: text,
  description: text,
  kind: open({ question: true, plan_approval: true }),
  priority: open({ low: true, normal: true, high: true, critical: true }),
  options: list(
    object<DecisionOption>({
      id: text,
      label: text,
      description: added(text, ""),
      recommended: added(flag, false),
    }),
  ),
  options_fingerprint: text,
  recommendation: added(nullable(text), null),
  allow_custom: flag,
  multi_select: added(flag, false),
  status: open({
    unverified: true,
    pending: true,
    submitting: true,
    resolved: true,
    superseded: true,
    unknown: true,
  }),
  revision: number,
  binding_revision: number,
  prompt_fingerprint: nullable(text),
  review_status: open({ actionable: true, terminal_required: true }),
  selected_option_id: added(nullable(text), null),
  created_at: number,
  updated_at: number,
});

const message = object<SeenMessage>({
  id: text,
  agent_id: text,
  role: open({ user: true, assistant: true }),
  content: text,
  status: open({ submitting: true, sent: true, observed: true, unknown: true, failed: true }),
  native_event_id: added(nullable(text), null),
  client_message_id: added(nullable(text), null),
  created_at: number,
  updated_at: number,
});

const moved = object({ from: nullable(text), to: nullable(text) });
const absent = <T>(read: Reader<T>): Reader<T | undefined> => added<T | undefined>(read, undefined);
const delta = object<ContextDelta>({
  completed: absent(list(completedItem)),
  new_blockers: absent(list(blocker)),
  resolved_blockers: absent(list(blocker)),
  decisions_added: absent(list(contextDecision)),
  decisions_resolved: absent(list(contextDecision)),
  goal_changed: absent(moved),
  current_task_changed: absent(moved),
  next_action_changed: absent(moved),
  lifecycle_changed: absent(moved),
  extraction_health_changed: absent(moved),
});

const timelineEvent = object<SeenTimelineEvent>({
  id: text,
  agent_id: text,
  sequence: number,
  created_at: number,
  occurred_at: added(number, 0),
  delta,
  context: nullable(context),
  type: open({
    decision: true,
    completed: true,
    blocker: true,
    progress: true,
    context: true,
    activity: true,
  }),
  title: added(text, ""),
});

const settings = object<SeenReviewSettings>({
  enabled: flag,
  interval_minutes: nullable(number),
  next_due_at: nullable(number),
  last_digest_at: nullable(number),
  urgent_bypass: object({ pane_errors: flag }),
  min_interval_minutes: number,
  max_interval_minutes: number,
  presets: list(number),
});

const group = object<SeenGroup>({
  agent_id: text,
  agent,
  as_of_snapshot_id: nullable(text),
  as_of_snapshot_sequence: number,
  as_of_snapshot_at: nullable(number),
  reviewed_snapshot_id: nullable(text),
  reviewed_snapshot_sequence: number,
  reviewed_snapshot_at: nullable(number),
  reviewed_at: nullable(number),
  has_changes: flag,
  history_truncated: flag,
  changes: delta,
  decisions: list(decision),
  oldest_pending_decision_at: nullable(number),
  rank_reason: open<RankReason>({
    urgent_decision: true,
    error: true,
    pending_decision: true,
    new_blocker: true,
    changed: true,
  }),
  attention_reasons: list(
    open<AttentionReason>({
      urgent_decision: true,
      agent_error: true,
      extraction_degraded: true,
      pending_decision: true,
      terminal_required_decision: true,
      new_blocker: true,
      semantic_change: true,
    }),
  ),
});

const review = object<SeenReview>({
  generated_at: number,
  settings,
  due: object<ReviewDue>({
    is_due: flag,
    urgent: flag,
    has_work: flag,
    next_due_at: nullable(number),
  }),
  counts: object<ReviewCounts>({
    agents_changed: number,
    pending_decisions: number,
    terminal_requests: number,
    total_cards: number,
    urgent_items: number,
  }),
  groups: list(group),
  terminal_items: list(
    object<SeenTerminalItem>({
      id: text,
      pane_id: text,
      status: open({ needs_input: true, error: true }),
      kind: text,
      updated_at: number,
    }),
  ),
});

const resume = object<SeenResume>({
  agent: object({ id: text, context }),
  changes: delta,
  pending_decisions: list(decision),
  goal: nullable(text),
  current_task: nullable(text),
  progress: nullable(progress),
  blockers: list(blocker),
  next_action: nullable(text),
  estimated_completion: nullable(text),
  baseline_snapshot_id: nullable(text),
  as_of_snapshot_id: nullable(text),
  history_truncated: flag,
});

const event = object<SeenAgentEvent>({
  kind: open({
    agent_updated: true,
    decision_updated: true,
    message_updated: true,
    history_deleted: true,
    review_updated: true,
    review_settings_updated: true,
    review_due: true,
  }),
  agent_id: text,
  revision: added(number, 0),
  decision_id: absent(text),
  message_id: absent(text),
  snapshot_id: absent(text),
});

/** One text frame of `/ws/agents`. */
export function readAgentFrame(frame: string): Reading<SeenAgentFrame> {
  return reading(() => {
    const members = record(JSON.parse(frame), "frame");
    const { type } = members;
    if (type === "hello" || type === "ping") return { type, cursor: cursorOf(members) };
    if (type === "reset")
      return {
        type,
        cursor: cursorOf(members),
        reason: added(text, "")(members["reason"], "reason"),
      };
    if (type === "agent_event")
      return { type, cursor: cursorOf(members), event: event(members["event"], "event") };
    return { type: "unknown" };
  });
}

const cursorOf = (members: Record<string, unknown>): number => number(members["cursor"], "cursor");

const body =
  <T>(read: Reader<T>, name: string) =>
  (value: unknown): Reading<T> =>
    reading(() => read(value, name));

const cursor = added(nullable(text), null);

export const readAgent = body(agent, "agent");
export const readAgents = body(
  object<SeenAgentList>({ agents: list(agent), next_cursor: cursor }),
  "agents",
);
export const readResume = body(resume, "resume");
export const readTimeline = body(
  object<SeenTimeline>({ events: list(timelineEvent), next_cursor: cursor }),
  "timeline",
);
export const readMessages = body(
  object<SeenMessageList>({
    messages: list(message),
    next_cursor: cursor,
    retained_from: nullable(number),
    retained_to: nullable(number),
    reviewed_at: nullable(number),
    reviewed_snapshot_id: nullable(text),
    reviewed_snapshot_sequence: nullable(number),
    reviewed_snapshot_at: nullable(number),
    history_truncated: flag,
  }),
  "messages",
);
export const readSentMessage = body(object<{ message: SeenMessage }>({ message }), "message");
export const readDecision = body(decision, "decision");
export const readDecisions = body(
  object<SeenDecisionList>({ decisions: list(decision), next_cursor: cursor }),
  "decisions",
);
export const readReplied = body(object<{ decision: SeenDecision }>({ decision }), "decision");
export const readReview = body(review, "review");
export const readReviewSettings = body(settings, "settings");
export const readReviewed = body(
  object<Reviewed>({
    agent_id: added(text, ""),
    snapshot_id: text,
    snapshot_sequence: number,
    snapshot_at: number,
    reviewed_at: number,
    advanced: flag,
  }),
  "review",
);
