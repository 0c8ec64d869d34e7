import { z } from "zod";
import { textUpTo } from "./characters.ts";
import { IdempotencyKey } from "./input.ts";
import { PaneRef } from "./pane.ts";

export const MAX_QUEUED = 20;
const MAX_QUEUED_CHARACTERS = 8000;

export const QueuedMessage = z.object({
  /** The idempotency key with which it was added. */
  id: z.string(),
  text: z.string(),
  /** `unknown`: it may have arrived; it is never sent again without a person. */
  state: z.enum(["waiting", "sending", "unknown"]),
  /** Epoch seconds when it was added. */
  at: z.number(),
  /** For `unknown`: an explanation for people. */
  reason: z.string().optional(),
});
export type QueuedMessage = z.infer<typeof QueuedMessage>;

/** The messages of one pane, in the order of sending. */
export const MessageList = z.object({
  /** Of the pane, which is gone where the list is lost. */
  id: z.string(),
  name: z.string(),
  agent: z.string(),
  /** Differs after each change. */
  revision: z.number().int(),
  /** Why none of them will be sent; null: they wait. */
  lost: z.enum(["gone", "other_program"]).nullable(),
  messages: z.array(QueuedMessage),
});
export type MessageList = z.infer<typeof MessageList>;

const message_id = z.string().min(1).max(160);
const text = textUpTo(MAX_QUEUED_CHARACTERS);
const idempotency_key = IdempotencyKey;

export const QueueRequest = z.discriminatedUnion("operation", [
  z.object({ operation: z.literal("add"), idempotency_key, id: PaneRef, text }),
  z.object({ operation: z.literal("edit"), idempotency_key, message_id, text }),
  /** `before`: the message that follows it then; null: it is the last. */
  z.object({
    ...{ operation: z.literal("move"), idempotency_key, message_id },
    before: message_id.nullable(),
  }),
  z.object({ operation: z.literal("delete"), idempotency_key, message_id }),
  /** Sends it now, also while the agent works if its program queues typed text. */
  z.object({ operation: z.literal("send"), idempotency_key, message_id }),
]);
export type QueueRequest = z.infer<typeof QueueRequest>;

export const QueueReply = z.object({
  ok: z.literal(true),
  /** Null where nothing waits any more. */
  list: MessageList.nullable(),
});
export type QueueReply = z.infer<typeof QueueReply>;

export const QueueState = z.object({ lists: z.array(MessageList) });
export type QueueState = z.infer<typeof QueueState>;

export const StopRequest = z.object({ id: PaneRef, idempotency_key: IdempotencyKey });
export type StopRequest = z.infer<typeof StopRequest>;
