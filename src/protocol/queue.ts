import { z } from "zod";
import { textUpTo } from "./characters.ts";
import { IdempotencyKey } from "./input.ts";
import { PaneRef } from "./pane.ts";

export const MAX_QUEUED = 20;
export const MAX_QUEUED_CHARACTERS = 8000;

export const QueuedMessage = z.object({
  /** The key that it was added under. */
  id: z.string(),
  text: z.string(),
  /** `sending` at this moment; `unknown`: it may have arrived, and is never sent again by itself. */
  state: z.enum(["waiting", "sending", "unknown"]),
  /** Epoch seconds when it was added. */
  at: z.number(),
  /** Of `unknown`: what a person has to know of it. */
  reason: z.string().optional(),
});
export type QueuedMessage = z.infer<typeof QueuedMessage>;

/** The messages of one pane, in the order in which they will be sent. */
export const MessageList = z.object({
  /** Of the pane; where the list is lost, of the pane that was. */
  id: z.string(),
  name: z.string(),
  agent: z.string(),
  /** Another one with each change. */
  revision: z.number().int(),
  /** Why none of them will be sent any more; null: they wait. */
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
  /** In front of that message; null: to the end. */
  z.object({
    ...{ operation: z.literal("move"), idempotency_key, message_id },
    before: message_id.nullable(),
  }),
  z.object({ operation: z.literal("delete"), idempotency_key, message_id }),
  /** Now, also while the agent works, where its program keeps what is typed meanwhile. */
  z.object({ operation: z.literal("send"), idempotency_key, message_id }),
]);
export type QueueRequest = z.infer<typeof QueueRequest>;

export const QueueReply = z.object({
  ok: z.literal(true),
  /** The list as it is now; null where nothing waits any more. */
  list: MessageList.nullable(),
});
export type QueueReply = z.infer<typeof QueueReply>;

export const QueueState = z.object({ lists: z.array(MessageList) });
export type QueueState = z.infer<typeof QueueState>;

export const StopRequest = z.object({ id: PaneRef, idempotency_key: IdempotencyKey });
export type StopRequest = z.infer<typeof StopRequest>;
