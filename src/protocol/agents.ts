import { z } from "zod";
import { Parked, Risk } from "./pane.ts";

/** The two runtimes whose session logs are read. */
export const AgentRuntime = z.enum(["agent_b", "agent_a"]);
export type AgentRuntime = z.infer<typeof AgentRuntime>;

export const AgentLifecycle = z.enum([
  "observing",
  "working",
  "idle",
  "waiting",
  "completed",
  "error",
  "offline",
]);
export type AgentLifecycle = z.infer<typeof AgentLifecycle>;

export const Association = z.enum(["confirmed", "probable", "ambiguous", "unavailable"]);
export type Association = z.infer<typeof Association>;

const ExtractionHealth = z.string().regex(/^(ok|degraded:[a-z_]+)$/);

/** The source of a field of the context. */
export const Provenance = z.enum([
  "visible_user_message",
  "visible_assistant_message",
  "runtime_plan",
  "runtime_task",
  "runtime_title",
]);
export type Provenance = z.infer<typeof Provenance>;

export const CompletedItem = z.object({
  id: z.string(),
  title: z.string(),
  /** Epoch seconds. */
  completed_at: z.number(),
});
export type CompletedItem = z.infer<typeof CompletedItem>;

/** An open decision in short; `DecisionItem` has all of it. */
export const ContextDecision = z.object({
  id: z.string(),
  title: z.string(),
  created_at: z.number(),
});
export type ContextDecision = z.infer<typeof ContextDecision>;

export const Blocker = ContextDecision.extend({ source: z.enum(["runtime_plan", "runtime_task"]) });
export type Blocker = z.infer<typeof Blocker>;

export const AgentProgress = z.object({
  completed: z.int(),
  total: z.int(),
  percent: z.number(),
  source: z.literal("runtime_plan"),
});
export type AgentProgress = z.infer<typeof AgentProgress>;

/** What a session works on, by its log; what is not known is null or empty. */
export const AgentContext = z.object({
  session_id: z.string(),
  runtime: AgentRuntime,
  goal: z.string().nullable(),
  current_task: z.string().nullable(),
  progress_summary: z.string().nullable(),
  completed_items: z.array(CompletedItem),
  decisions: z.array(ContextDecision),
  blockers: z.array(Blocker),
  next_action: z.string().nullable(),
  progress: AgentProgress.nullable(),
  /** Always null: no runtime writes it. */
  estimated_completion: z.string().nullable(),
  lifecycle: AgentLifecycle,
  revision: z.int(),
  /** Epoch seconds. */
  last_updated: z.number(),
  provenance: z.record(z.string(), Provenance),
  extraction_health: ExtractionHealth,
  message_history_truncated: z.boolean(),
});
export type AgentContext = z.infer<typeof AgentContext>;

export const BindingCandidate = z.object({
  id: z.string(),
  pane_id: z.string(),
  target: z.string(),
  pane_target: z.string(),
  label: z.string(),
  /** 0 to 1. */
  confidence: z.number(),
  /** Short sentences of evidence. */
  reasons: z.array(z.string()),
});
export type BindingCandidate = z.infer<typeof BindingCandidate>;

export const AgentSession = z.object({
  id: z.uuid(),
  runtime: AgentRuntime,
  native_session_id: z.string(),
  title: z.string(),
  lifecycle: AgentLifecycle,
  association: Association,
  pane_id: z.string().nullable(),
  target: z.string().nullable(),
  binding_revision: z.int(),
  revision: z.int(),
  capabilities: z.object({
    association: Association,
    context: z.literal("structured"),
    chat_send: z.enum(["unavailable", "idle_only"]),
    decision_reply: z.enum(["open_terminal", "verified_terminal"]),
    delivery_ack: z.literal("log_observed"),
    runtime: AgentRuntime,
    parser_version: z.int(),
    /** Seconds from the time of a record to its reading; null before the first record. */
    observed_lag: z.number().nullable(),
  }),
  extraction_health: ExtractionHealth,
  /** Epoch seconds of the newest record. */
  last_event_at: z.number().nullable(),
  created_at: z.number(),
  updated_at: z.number(),
  context: AgentContext,
  pending_decisions_count: z.int(),
  binding_candidates: z.array(BindingCandidate),
  /** `parked_v1`: the limit that ended its turn, by its log. */
  parked: Parked.nullable().optional(),
  /** `context_v1`: how full its context is, where its log tells. */
  context_percent: z.number().nullable().optional(),
});
export type AgentSession = z.infer<typeof AgentSession>;

export const MessageStatus = z.enum(["submitting", "sent", "observed", "unknown", "failed"]);
export type MessageStatus = z.infer<typeof MessageStatus>;

export const MessageRole = z.enum(["user", "assistant"]);
export type MessageRole = z.infer<typeof MessageRole>;

export const ChatMessage = z.object({
  id: z.uuid(),
  agent_id: z.uuid(),
  role: MessageRole,
  content: z.string(),
  status: MessageStatus,
  native_event_id: z.string().nullable(),
  client_message_id: z.string().nullable(),
  created_at: z.number(),
  updated_at: z.number(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

export const DecisionStatus = z.enum([
  "unverified",
  "pending",
  "submitting",
  "resolved",
  "superseded",
  "unknown",
]);
export type DecisionStatus = z.infer<typeof DecisionStatus>;

export const DecisionOption = z.object({
  id: z.string(),
  label: z.string(),
  description: z.string(),
  recommended: z.boolean(),
});
export type DecisionOption = z.infer<typeof DecisionOption>;

export const DecisionItem = z.object({
  id: z.uuid(),
  agent_id: z.uuid(),
  native_event_id: z.string(),
  title: z.string(),
  description: z.string(),
  kind: z.enum(["question", "plan_approval"]),
  priority: z.enum(["low", "normal", "high", "critical"]),
  options: z.array(DecisionOption),
  options_fingerprint: z.string(),
  recommendation: z.string().nullable(),
  /** `pane_facts_v1`: why it needs a second confirmation, judged by the whole question. */
  risk: Risk.nullable(),
  allow_custom: z.literal(false),
  multi_select: z.boolean(),
  status: DecisionStatus,
  revision: z.int(),
  binding_revision: z.int(),
  prompt_fingerprint: z.string().nullable(),
  review_status: z.enum(["actionable", "terminal_required"]),
  selected_option_id: z.string().nullable(),
  created_at: z.number(),
  updated_at: z.number(),
});
export type DecisionItem = z.infer<typeof DecisionItem>;

const TextChange = z.object({ from: z.string().nullable(), to: z.string().nullable() });

/** Net change since a baseline, without empty members. */
export const ContextDelta = z.object({
  completed: z.array(CompletedItem).optional(),
  new_blockers: z.array(Blocker).optional(),
  resolved_blockers: z.array(Blocker).optional(),
  decisions_added: z.array(ContextDecision).optional(),
  decisions_resolved: z.array(ContextDecision).optional(),
  goal_changed: TextChange.optional(),
  current_task_changed: TextChange.optional(),
  next_action_changed: TextChange.optional(),
  lifecycle_changed: TextChange.optional(),
  extraction_health_changed: TextChange.optional(),
});
export type ContextDelta = z.infer<typeof ContextDelta>;

export const TimelineType = z.enum([
  "decision",
  "completed",
  "blocker",
  "progress",
  "context",
  "activity",
]);
export type TimelineType = z.infer<typeof TimelineType>;

export const StepKind = z.enum(["read", "edit", "run", "search", "web", "task", "other"]);
export type StepKind = z.infer<typeof StepKind>;

/** One use of a tool, without its result. */
export const Step = z.object({
  id: z.string(),
  /** Epoch seconds. */
  at: z.number(),
  kind: StepKind,
  /** One line: a file below the session's folder, a command, the words of a search. */
  title: z.string(),
  /** Lines of an edit; null where the log does not tell. */
  added: z.number().nullable(),
  removed: z.number().nullable(),
  state: z.enum(["running", "done", "failed", "denied"]),
});
export type Step = z.infer<typeof Step>;

export const TimelineEvent = z.object({
  id: z.uuid(),
  agent_id: z.uuid(),
  sequence: z.int(),
  created_at: z.number(),
  /** Time of the agent's own record. */
  occurred_at: z.number(),
  delta: ContextDelta,
  /** Null in the list across sessions. */
  context: AgentContext.nullable(),
  type: TimelineType,
  title: z.string(),
});
export type TimelineEvent = z.infer<typeof TimelineEvent>;
