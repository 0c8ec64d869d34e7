import { z } from "zod";
import { keepsTyped } from "../detect/agents.ts";
import { isTextAlone } from "../detect/composer.ts";
import type { AppError } from "../errors.ts";
import type { PaneState, QueueSummary } from "../protocol/pane.ts";
import { MAX_QUEUED, MessageList, type QueuedMessage } from "../protocol/queue.ts";
import type { PaneReading } from "../terminal/reading.ts";
import { obstacleOf, refusal } from "./refusals.ts";

/** Lists that are kept, and keys of messages that are gone: those of a repeat among them. */
const MAX_LISTS = 200;
const MAX_DONE = 500;
/** A list that nothing will be sent of is kept for so long, its texts to be copied. */
const LOST_SECONDS = 7 * 86_400;

const StoredMessage = MessageList.shape.messages.element.extend({
  /** Key of the request that sent it at once: its repeat sends nothing. */
  sentBy: z.string().nullable(),
});
export type StoredMessage = z.infer<typeof StoredMessage>;

const StoredList = MessageList.extend({
  /** Of the pane: an id may be given out again. */
  identity: z.string(),
  /** Epoch seconds since when it is lost. */
  lostAt: z.number().nullable(),
  messages: z.array(StoredMessage),
});
export type StoredList = z.infer<typeof StoredList>;

export const StoredQueue = z.object({
  version: z.literal(1),
  revision: z.number().int(),
  lists: z.array(StoredList),
  done: z.array(z.string()),
});
export type StoredQueue = z.infer<typeof StoredQueue>;

export const NO_LISTS: StoredQueue = { version: 1, revision: 0, lists: [], done: [] };

type Place = Pick<StoredList, "id" | "identity" | "name" | "agent">;

/** @throws AppError conflict where the pane's list, or all of them, are full */
export function withAdded(
  kept: StoredQueue,
  place: Place,
  { id, text, at }: Pick<QueuedMessage, "id" | "text" | "at">,
): StoredQueue {
  if (kept.done.includes(id) || listWith(kept, id)) return kept;
  const isIt = (list: StoredList) => list.identity === place.identity && list.lost === null;
  const known = kept.lists.find(isIt);
  const messages = known?.messages ?? [];
  if (messages.length >= MAX_QUEUED)
    throw refusal("queue_full", `${MAX_QUEUED} messages wait for this pane already`);
  const others = kept.lists.filter(
    (list) => !isIt(list) && (list.lostAt === null || at - list.lostAt < LOST_SECONDS),
  );
  if (others.length >= MAX_LISTS) throw refusal("queue_full", "too many panes have messages");
  const message: StoredMessage = { id, text, at, state: "waiting", sentBy: null };
  const revision = kept.revision + 1;
  const list = { ...place, revision, lost: null, lostAt: null, messages: [...messages, message] };
  return { ...kept, revision, lists: [...others, list] };
}

/** @throws AppError not_found, or conflict while it is being sent */
export function withEdited(kept: StoredQueue, id: string, text: string): StoredQueue {
  return changed(kept, id, (messages) =>
    messages.map((one) =>
      // Other words are another message: that the first may have arrived says nothing of it.
      one.id === id && one.text !== text
        ? { ...one, text, state: "waiting", reason: undefined, sentBy: null }
        : one,
    ),
  );
}

/** @throws AppError not_found, or conflict while one of the two is being sent */
export function withMoved(kept: StoredQueue, id: string, before: string | null): StoredQueue {
  return changed(kept, id, (messages) => {
    const moved = messages.filter((one) => one.id === id);
    const others = messages.filter((one) => one.id !== id);
    const found = others.findIndex((one) => one.id === before);
    if (before !== null && found < 0 && before !== id) throw unknownMessage();
    if (others[found]?.state === "sending")
      throw refusal("message_sending", "the message behind it is being sent");
    const at = before === id ? messages.findIndex((one) => one.id === id) : found;
    return at < 0 ? [...others, ...moved] : others.toSpliced(at, 0, ...moved);
  });
}

/** One that is gone already changes nothing. @throws AppError conflict while it is being sent */
export function withDeleted(kept: StoredQueue, id: string): StoredQueue {
  if (kept.done.includes(id)) return kept;
  return gone(
    changed(kept, id, (messages) => messages.filter((one) => one.id !== id)),
    id,
  );
}

/** The service says what became of a message of its own; one that is not there changes nothing. */
export function withOutcome(
  kept: StoredQueue,
  id: string,
  outcome: StoredMessage["state"] | "sent",
  { sentBy = null, reason }: Partial<Pick<StoredMessage, "sentBy" | "reason">> = {},
): StoredQueue {
  const list = listWith(kept, id);
  if (!list) return kept;
  const messages = list.messages.flatMap((one) => {
    if (one.id !== id) return [one];
    return outcome === "sent"
      ? []
      : [{ ...one, state: outcome, reason, sentBy: sentBy ?? one.sentBy }];
  });
  const now = replaced(kept, list, messages);
  return outcome === "sent" ? gone(now, id) : now;
}

export function withLost(
  kept: StoredQueue,
  identity: string,
  lost: "gone" | "other_program",
  at: number,
) {
  const revision = kept.revision + 1;
  const lists = kept.lists.map((list) =>
    list.identity === identity && list.lost === null
      ? { ...list, revision, lost, lostAt: at }
      : list,
  );
  return { ...kept, revision, lists };
}

/** What a service finds that was stopped: nobody knows what became of what was being sent. */
export function found(kept: StoredQueue): StoredQueue {
  const sending = kept.lists.flatMap(({ messages }) =>
    messages.filter(({ state }) => state === "sending"),
  );
  return sending.reduce((now, { id }) => withOutcome(now, id, "unknown"), kept);
}

export function listWith(kept: StoredQueue, id: string): StoredList | undefined {
  return kept.lists.find(({ messages }) => messages.some((one) => one.id === id));
}

export function publicList({
  identity: _,
  lostAt: __,
  messages,
  ...list
}: StoredList): MessageList {
  return { ...list, messages: messages.map(({ sentBy: ___, ...message }) => message) };
}

function changed(
  kept: StoredQueue,
  id: string,
  change: (messages: readonly StoredMessage[]) => readonly StoredMessage[],
): StoredQueue {
  const list = listWith(kept, id);
  if (!list) throw unknownMessage();
  if (list.messages.some((one) => one.id === id && one.state === "sending"))
    throw refusal("message_sending", "it is being sent");
  return replaced(kept, list, change(list.messages));
}

function replaced(
  kept: StoredQueue,
  list: StoredList,
  messages: readonly StoredMessage[],
): StoredQueue {
  const revision = kept.revision + 1;
  const next = messages.length === 0 ? [] : [{ ...list, revision, messages: [...messages] }];
  return { ...kept, revision, lists: kept.lists.flatMap((one) => (one === list ? next : [one])) };
}

function gone(kept: StoredQueue, id: string): StoredQueue {
  return { ...kept, done: [...kept.done, id].slice(-MAX_DONE) };
}

export function unknownMessage(): AppError {
  return refusal("unknown_message", "this message does not wait any more", { kind: "not_found" });
}

export type HoldReason = QueueSummary["held"];

/** What holds a list, by what is published of its pane; null: its agent's work alone. */
export function whyHeld(
  { messages }: StoredList,
  { status, parked, question }: PaneState,
): HoldReason {
  if (messages.some(({ state }) => state === "unknown")) return "unknown";
  if (status === "needs_input" || question !== null) return "asks";
  if (parked !== null) return "parked";
  return status === "error" ? "error" : null;
}

/** Why nothing may be typed into this screen by itself; null: it is free. */
export function whyNotFree(list: StoredList, now: PaneReading): HoldReason | "busy" {
  if (!isForIt(list, now)) return "busy";
  const held = now.prompt === null ? whyHeld(list, now.state) : "asks";
  return held ?? obstacleOf(now, "idle");
}

const NOT_NOW = {
  asks: "it asks something first",
  busy: "something covers its input line",
  typed: "something is typed into its input line",
  unclear: "it cannot be told what stands in its input line",
} as const;

/** Why a person's own press must not send it now; null: it may. */
export function whyNotNow(
  list: StoredList,
  message: QueuedMessage,
  now: PaneReading,
): string | null {
  const { status } = now.state;
  if (!isForIt(list, now)) return "another program runs in the pane";
  const obstacle = obstacleOf(now, status);
  if (obstacle === "asks" || obstacle === "busy") return NOT_NOW[obstacle];
  if (status === "working" && !keepsTyped(list.agent))
    return "its program does not keep what is typed while it works";
  return obstacle === null || standsThere(message, now) ? null : NOT_NOW[obstacle];
}

/** It was typed, and the service was ended before it pressed Enter. */
export function standsThere({ state, text }: QueuedMessage, { composer }: PaneReading): boolean {
  return state === "unknown" && composer?.holds === "draft" && isTextAlone(composer.text, text);
}

function isForIt({ identity, agent }: StoredList, { pane, state }: PaneReading): boolean {
  return pane.identity === identity && state.agent?.id === agent;
}
