import { z } from "zod";
import {
  AgentContext,
  AgentProgress,
  AgentSession,
  Blocker,
  ChatMessage,
  ContextDelta,
  DecisionItem,
  MessageRole,
  Step,
  TimelineEvent,
} from "./agents.ts";
import { textUpTo } from "./characters.ts";

const numberAs = (written: RegExp, what: string) =>
  z.string().regex(written, `expected ${what}`).transform(Number);
const whole = numberAs(/^[+-]?\d+$/, "an integer");
const limitUpTo = (most: number, usual: number) =>
  whole.pipe(z.int().min(1).max(most)).default(usual);
const Cursor = z.string().nullable().default(null);
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$|^[+-]?(?:nan|inf|infinity)$/i;
/** Epoch seconds as text; the endpoint refuses those that are infinite or out of order. */
const Time = numberAs(NUMBER, "epoch seconds").nullable().default(null);

export const PageQuery = z.object({ cursor: Cursor, limit: limitUpTo(100, 50) });

export const DecisionsQuery = PageQuery.extend({
  status: z.string().nullable().default(null),
  agent_id: z.string().nullable().default(null),
});
export type DecisionsQuery = z.infer<typeof DecisionsQuery>;

export const MessagesQuery = z.object({
  cursor: Cursor,
  limit: limitUpTo(200, 100),
  q: z.string().max(200).nullable().default(null),
  role: z.string().nullable().default(null),
  after: Time,
  before: Time,
  /** `search_v1`: id of the message in the middle of the page. */
  around: z.string().nullable().default(null),
  /** `search_v1`: `newer_cursor` of a page. */
  newer: Cursor,
});
export type MessagesQuery = z.infer<typeof MessagesQuery>;

export const SearchQuery = MessagesQuery.omit({ around: true, newer: true }).extend({
  q: z.string().max(200),
  /** Null for all sessions. */
  agent_id: z.string().nullable().default(null),
  limit: limitUpTo(100, 50),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

export const UnbindQuery = z.object({ expected_binding_revision: whole.pipe(z.int()) });

const Page = z.object({ next_cursor: z.string().nullable() });

export const AgentList = Page.extend({ agents: z.array(AgentSession) });
export type AgentList = z.infer<typeof AgentList>;

export const DecisionList = Page.extend({ decisions: z.array(DecisionItem) });
export type DecisionList = z.infer<typeof DecisionList>;

export const Timeline = Page.extend({ events: z.array(TimelineEvent) });
export type Timeline = z.infer<typeof Timeline>;

/** Steps of one range of a session's log, oldest first. */
export const StepList = z.object({
  steps: z.array(Step),
  /** The range in epoch seconds, without gaps; null: from the log's beginning, to its end. */
  from: z.number().nullable(),
  to: z.number().nullable(),
});
export type StepList = z.infer<typeof StepList>;

export const MessageList = z.object({
  messages: z.array(ChatMessage),
  ...Page.shape,
  /** In a page around or after a message: the cursor of the page with later messages. */
  newer_cursor: z.string().nullable().optional(),
  retained_from: z.number().nullable(),
  retained_to: z.number().nullable(),
  reviewed_at: z.number().nullable(),
  reviewed_snapshot_id: z.string().nullable(),
  reviewed_snapshot_sequence: z.int().nullable(),
  reviewed_snapshot_at: z.number().nullable(),
  history_truncated: z.boolean(),
  filters: z.object({
    q: z.string().nullable(),
    role: MessageRole.nullable(),
    after: z.number().nullable(),
    before: z.number().nullable(),
  }),
});
export type MessageList = z.infer<typeof MessageList>;

/** A message that matches a search: its first match with the text around it, in one line. */
export const MessageHit = ChatMessage.pick({
  id: true,
  agent_id: true,
  role: true,
  created_at: true,
}).extend({ before: z.string(), match: z.string(), after: z.string() });

export const MessageSearch = z.object({
  finds: z.array(MessageHit),
  /** Agents of these messages, in the order of their newest match. */
  agents: z.array(
    AgentSession.pick({
      id: true,
      runtime: true,
      title: true,
      lifecycle: true,
      pane_id: true,
      target: true,
    }),
  ),
  ...Page.shape,
  retained_from: z.number().nullable(),
});
export type MessageSearch = z.infer<typeof MessageSearch>;

export const AgentResume = z.object({
  agent: z.object({ id: z.uuid(), context: AgentContext }),
  changes: ContextDelta,
  decisions: z.array(DecisionItem),
  pending_decisions: z.array(DecisionItem),
  goal: z.string().nullable(),
  current_task: z.string().nullable(),
  progress: AgentProgress.nullable(),
  blockers: z.array(Blocker),
  next_action: z.string().nullable(),
  estimated_completion: z.string().nullable(),
  baseline_snapshot_id: z.string().nullable(),
  as_of_snapshot_id: z.string().nullable(),
  history_truncated: z.boolean(),
});
export type AgentResume = z.infer<typeof AgentResume>;

export const Visit = z.object({
  agent_id: z.uuid(),
  snapshot_id: z.string(),
  snapshot_sequence: z.int(),
  visited_at: z.number(),
});
export type Visit = z.infer<typeof Visit>;

export const MessageRequest = z.object({
  text: textUpTo(8000).min(1),
  client_message_id: z.string().min(1).max(160),
  expected_binding_revision: z.int(),
});
export type MessageRequest = z.infer<typeof MessageRequest>;

export const BindingRequest = z.object({
  pane_id: z.string(),
  expected_binding_revision: z.int(),
});
export type BindingRequest = z.infer<typeof BindingRequest>;

export const DecisionReply = z.object({
  option_id: z.string(),
  custom_text: z.string().nullable(),
  idempotency_key: z.string().min(1).max(160),
  expected_revision: z.int(),
  expected_binding_revision: z.int(),
  prompt_fingerprint: z.string(),
});
export type DecisionReply = z.infer<typeof DecisionReply>;

export const AgentEventKind = z.enum([
  "agent_updated",
  "decision_updated",
  "message_updated",
  "history_deleted",
  "review_updated",
  "review_settings_updated",
  "review_due",
]);

/** Invalidates what a client has cached; it patches nothing. */
export const AgentEvent = z.object({
  kind: AgentEventKind,
  agent_id: z.string(),
  revision: z.int(),
  decision_id: z.string().optional(),
  message_id: z.string().optional(),
  snapshot_id: z.string().optional(),
  resources: z.array(z.string()).optional(),
});
export type AgentEvent = z.infer<typeof AgentEvent>;

export const AgentEventFrame = z.object({
  type: z.literal("agent_event"),
  cursor: z.int(),
  event: AgentEvent,
});

/** Events were missed: all that was read before may be outdated. */
export const ResetFrame = z.object({
  type: z.literal("reset"),
  cursor: z.int(),
  reason: z.enum(["cursor_expired", "subscriber_lagged", "cursor_unknown"]),
});

export const AgentFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), cursor: z.int() }),
  AgentEventFrame,
  z.object({ type: z.literal("ping"), cursor: z.int() }),
  ResetFrame,
]);
export type AgentFrame = z.infer<typeof AgentFrame>;
