import type { AgentList, DecisionList, MessageList, Timeline } from "./agent-replies.ts";
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
import type { PaneSession } from "./input.ts";
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

// What a client reads of sessions, their decisions, messages and timeline; how it reads: `read.ts`.
// It loads with the workspace.

/** `Open<T, K>`: members `K` may hold a value that this client does not know. */
export type Open<T, K extends keyof T> = Omit<T, K> & { [M in K]: T[M] | Unknown };

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
export const blocker = object<Blocker>({
  id: text,
  title: text,
  created_at: number,
  source: open({ runtime_plan: true, runtime_task: true }) as Reader<Blocker["source"]>, // Shown nowhere.
});
export const progress = object<Omit<AgentProgress, "source">>({
  completed: number,
  total: number,
  percent: number,
}) as Reader<AgentProgress>; // Its source is one word.

export const context = object<SeenContext>({
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

export const agent = object<SeenAgent>({
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

export const decision = object<SeenDecision>({
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
export const absent = <T>(read: Reader<T>): Reader<T | undefined> =>
  added<T | undefined>(read, undefined);
export const delta = object<ContextDelta>({
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

/** Reads a body of the name that an error tells it by. */
export const body =
  <T>(read: Reader<T>, name: string) =>
  (value: unknown): Reading<T> =>
    reading(() => read(value, name));

const cursor = added(nullable(text), null);

export const readAgent = body(agent, "agent");
export const readPaneSessions = body(
  object<{ sessions: PaneSession[] }>({
    sessions: added(
      list(object<PaneSession>({ agent_id: text, association: text, reasons: added(texts, []) })),
      [],
    ),
  }),
  "sessions of a pane",
);
export const readAgents = body(
  object<SeenAgentList>({ agents: list(agent), next_cursor: cursor }),
  "agents",
);
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
