import { z } from "zod";
import { queuesMessages } from "../detect/agents.ts";
import { isTextAlone } from "../detect/composer.ts";
import type { AppError } from "../errors.ts";
import type { PaneState, QueueSummary } from "../protocol/pane.ts";
import { MAX_QUEUED, MessageList, type QueuedMessage } from "../protocol/queue.ts";
import type { PaneReading } from "../terminal/reading.ts";
import { obstacleOf, refusal } from "./refusals.ts";

const MAX_LISTS = 200;
const MAX_DONE = 500;
/** A list whose pane is lost is kept for so long: its texts can be copied. */
const LOST_SECONDS = 7 * 86_400;

const StoredMessage = MessageList.shape.messages.element.extend({
  /** Idempotency key of the request that sends it now: a repeat of that request sends nothing. */
  sentBy: z.string().nullable(),
});
export type StoredMessage = z.infer<typeof StoredMessage>;

const StoredList = MessageList.extend({
  /** Of the pane: an id may be given out again. */
  identity: z.string(),
  /** Epoch seconds. */
  lostAt: z.number().nullable(),
  messages: z.array(StoredMessage),
});
export type StoredList = z.infer<typeof StoredList>;

export const StoredQueue = z.object({
  version: z.literal(1),
  revision: z.number().int(),
  lists: z.array(StoredList),
  /** Ids of messages that were sent or deleted: a repeat must not add one again. */
  done: z.array(z.string()),
});
export type StoredQueue = z.infer<typeof StoredQueue>;

export const NO_LISTS: StoredQueue = { version: 1, revision: 0, lists: [], done: [] };

type Place = Pick<StoredList, "id" | "identity" | "name" | "agent">;

/** @throws AppError conflict where the pane's list, or all of them, are full */
export function withAdded(
  queue: StoredQueue,
  place: Place,
  { id, text, at }: Pick<QueuedMessage, "id" | "text" | "at">,
): StoredQueue {
  if (queue.done.includes(id) || listWith(queue, id)) return queue;
  const isOpen = (list: StoredList) => list.identity === place.identity && list.lost === null;
  const messages = queue.lists.find(isOpen)?.messages ?? [];
  if (messages.length >= MAX_QUEUED)
    throw refusal("queue_full", `${MAX_QUEUED} messages wait for this pane already`);
  const others = queue.lists.filter(
    (list) => !isOpen(list) && (list.lostAt === null || at - list.lostAt < LOST_SECONDS),
  );
  if (others.length >= MAX_LISTS) throw refusal("queue_full", "too many panes have messages");
  const message: StoredMessage = { id, text, at, state: "waiting", sentBy: null };
  const revision = queue.revision + 1;
  const list = { ...place, revision, lost: null, lostAt: null, messages: [...messages, message] };
  return { ...queue, revision, lists: [...others, list] };
}

/** @throws AppError not_found, or conflict while it is being sent */
export function withEdited(queue: StoredQueue, id: string, text: string): StoredQueue {
  return withChanged(queue, id, (messages) =>
    messages.map((message) =>
      // Other words are another message, which has not been sent.
      message.id === id && message.text !== text
        ? { ...message, text, state: "waiting", reason: undefined, sentBy: null }
        : message,
    ),
  );
}

/** @throws AppError not_found, or conflict while it or the one behind it is being sent */
export function withMoved(queue: StoredQueue, id: string, before: string | null): StoredQueue {
  return withChanged(queue, id, (messages) => {
    const moved = messages.filter((each) => each.id === id);
    const others = messages.filter((each) => each.id !== id);
    const next = others.findIndex((each) => each.id === before);
    if (before !== null && next < 0 && before !== id) throw unknownMessage();
    if (others[next]?.state === "sending")
      throw refusal("message_sending", "the message behind it is being sent");
    const at = before === id ? messages.findIndex((each) => each.id === id) : next;
    return at < 0 ? [...others, ...moved] : others.toSpliced(at, 0, ...moved);
  });
}

/** Changes nothing where it is gone already. @throws AppError conflict while it is being sent */
export function withDeleted(queue: StoredQueue, id: string): StoredQueue {
  if (queue.done.includes(id)) return queue;
  return withDone(
    withChanged(queue, id, (messages) => messages.filter((each) => each.id !== id)),
    id,
  );
}

/** Changes nothing where the message is gone. */
export function withOutcome(
  queue: StoredQueue,
  id: string,
  outcome: StoredMessage["state"] | "sent",
  { sentBy = null, reason }: Partial<Pick<StoredMessage, "sentBy" | "reason">> = {},
): StoredQueue {
  const list = listWith(queue, id);
  if (!list) return queue;
  const messages = list.messages.flatMap((each) => {
    if (each.id !== id) return [each];
    return outcome === "sent"
      ? []
      : [{ ...each, state: outcome, reason, sentBy: sentBy ?? each.sentBy }];
  });
  const now = withMessages(queue, list, messages);
  return outcome === "sent" ? withDone(now, id) : now;
}

export function withLost(
  queue: StoredQueue,
  identity: string,
  lost: "gone" | "other_program",
  at: number,
) {
  const revision = queue.revision + 1;
  const lists = queue.lists.map((list) =>
    list.identity === identity && list.lost === null
      ? { ...list, revision, lost, lostAt: at }
      : list,
  );
  return { ...queue, revision, lists };
}

/** At a start: nobody knows what became of a message that was being sent. */
export function recoverQueue(queue: StoredQueue): StoredQueue {
  const sending = queue.lists.flatMap(({ messages }) =>
    messages.filter(({ state }) => state === "sending"),
  );
  return sending.reduce((now, { id }) => withOutcome(now, id, "unknown"), queue);
}

export function listWith(queue: StoredQueue, id: string): StoredList | undefined {
  return queue.lists.find(({ messages }) => messages.some((each) => each.id === id));
}

export function publicList({
  identity: _,
  lostAt: __,
  messages,
  ...list
}: StoredList): MessageList {
  return { ...list, messages: messages.map(({ sentBy: ___, ...message }) => message) };
}

function withChanged(
  queue: StoredQueue,
  id: string,
  change: (messages: readonly StoredMessage[]) => readonly StoredMessage[],
): StoredQueue {
  const list = listWith(queue, id);
  if (!list) throw unknownMessage();
  if (list.messages.some((each) => each.id === id && each.state === "sending"))
    throw refusal("message_sending", "it is being sent");
  return withMessages(queue, list, change(list.messages));
}

function withMessages(
  queue: StoredQueue,
  list: StoredList,
  messages: readonly StoredMessage[],
): StoredQueue {
  const revision = queue.revision + 1;
  const next = messages.length === 0 ? [] : [{ ...list, revision, messages: [...messages] }];
  return {
    ...queue,
    revision,
    lists: queue.lists.flatMap((each) => (each === list ? next : [each])),
  };
}

function withDone(queue: StoredQueue, id: string): StoredQueue {
  return { ...queue, done: [...queue.done, id].slice(-MAX_DONE) };
}

export function unknownMessage(): AppError {
  return refusal("unknown_message", "this message does not wait any more", { kind: "not_found" });
}

export type HoldReason = QueueSummary["held"];

/** What holds a list beside its agent's work. */
export function holdReasonOf(
  { messages }: StoredList,
  { status, parked, question }: PaneState,
): HoldReason {
  if (messages.some(({ state }) => state === "unknown")) return "unknown";
  if (status === "needs_input" || question !== null) return "asks";
  if (parked !== null) return "parked";
  return status === "error" ? "error" : null;
}

/** Why nothing may be typed into this screen unattended; null: it is free. */
export function whyNotFree(list: StoredList, now: PaneReading): HoldReason | "busy" {
  if (!runsAgentOf(list, now)) return "busy";
  const held = now.prompt === null ? holdReasonOf(list, now.state) : "asks";
  return held ?? obstacleOf(now, "idle");
}

const OBSTACLES = {
  asks: "it asks something first",
  busy: "something covers its input line",
  typed: "something is typed into its input line",
  unclear: "it cannot be told what stands in its input line",
} as const;

/** Why a person must not send it now; null: they may. */
export function whyNotNow(
  list: StoredList,
  message: QueuedMessage,
  now: PaneReading,
): string | null {
  const { status } = now.state;
  if (!runsAgentOf(list, now)) return "another program runs in the pane";
  const obstacle = obstacleOf(now, status);
  if (obstacle === "asks" || obstacle === "busy") return OBSTACLES[obstacle];
  if (status === "working" && !queuesMessages(list.agent))
    return "its program does not keep what is typed while it works";
  return obstacle === null || isTypedAlready(message, now) ? null : OBSTACLES[obstacle];
}

/** The service was ended after it had typed the message and before it pressed Enter. */
export function isTypedAlready({ state, text }: QueuedMessage, { composer }: PaneReading): boolean {
  return state === "unknown" && composer?.holds === "draft" && isTextAlone(composer.text, text);
}

function runsAgentOf({ identity, agent }: StoredList, { pane, state }: PaneReading): boolean {
  return pane.identity === identity && state.agent?.id === agent;
}
