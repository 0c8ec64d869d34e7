import { z } from "zod";
import type { ScreenNeed } from "../cards/card-place.ts";
import type { ScreenCard } from "../cards/cards.ts";
import { sha256 } from "../lib/digest.ts";
import type { DecisionItem } from "../protocol/agents.ts";
import type { AlertReason } from "../protocol/push.ts";

/** An alert in the form of no channel. */
export type Message = {
  /** The next message with the same tag replaces this one. */
  tag: string;
} & (
  | {
      kind: "pane";
      /** The first of its panes, which gives the text. */
      screen: ScreenCard;
      /** All its panes. */
      identities: string[];
    }
  | { kind: "answered"; paneId: string }
  | {
      kind: "decision";
      decision: DecisionItem;
      paneId: string;
      /** Of the pane that asks it; null where that is not known. */
      identity: string | null;
    }
  /** A device was let in. */
  | { kind: "grant"; name: string; by: string }
  | { kind: "digest" }
  | { kind: "quota" }
  | { kind: "test" }
);

export type PaneMessage = Extract<Message, { kind: "pane" }>;

/** `badge`: the number of waiting cards when it is sent. */
export type BadgedMessage<M extends Message = Message> = M & { badge: number };

/** Tag of the one alert for all panes that quiet hours held back. */
export const SUMMARY_TAG = "waiting";
/** Tag of the one alert for several agents that the same limit has stopped. */
export const PARKED_TAG = "parked";

const TAG_CHARS = 24;

/** Tag of a pane's notifications, each of which replaces the one before. */
export function tagOf(identity: string): string {
  const digest = sha256(identity).toString("base64url");
  return `pane-${digest.slice(0, TAG_CHARS)}`;
}

export const TITLE = "panewatch";

const TEXTS = {
  answered: "Answered.",
  decision: "An agent needs your decision.",
  digest: "Your agent review is ready.",
  quota: "A usage limit is near.",
  test: "Alerts reach this device.",
} as const;

/** Generic, since push services see it: no name, target, question or option of a pane. */
export function messageText(message: Message): string {
  if (message.kind === "grant") return `${message.name} was let in by ${message.by}.`;
  if (message.kind !== "pane") return TEXTS[message.kind];
  if (message.tag === PARKED_TAG) return "Agents wait for a limit to reset.";
  return formOf(message).text;
}

/**
 * For each section of a pane's card: the reason by which devices choose it, its text without the
 * pane's name and after it (`named`), and its marks on a topic.
 */
export const PANE_FORMS = {
  waiting: {
    reason: "needs_input",
    text: "A pane needs your input.",
    named: "needs your input.",
    style: { priority: "high", tags: "raising_hand" },
  },
  errors: {
    reason: "error",
    text: "A pane reported an error.",
    named: "reported an error.",
    style: { priority: "high", tags: "warning" },
  },
  parked: {
    reason: "error",
    text: "An agent waits for a limit to reset.",
    named: "waits for a limit to reset.",
    style: { priority: "high", tags: "warning" },
  },
  finished: {
    reason: "finished",
    text: "An agent has finished.",
    named: "has finished.",
    style: { priority: "default", tags: "white_check_mark" },
  },
} as const satisfies Record<ScreenNeed["section"], object>;

export const formOf = ({ screen }: Pick<PaneMessage, "screen">) => PANE_FORMS[screen.need.section];

export type PaneReason = (typeof PANE_FORMS)[ScreenNeed["section"]]["reason"];
/** Reasons without a pane, so that nothing can be handled. */
export type DigestReason = Exclude<AlertReason, PaneReason>;

export const DIGESTS = {
  review: { kind: "digest", tag: "review" },
  quota: { kind: "quota", tag: "quota" },
} as const satisfies Record<DigestReason, Message>;

const MAX_TAG_CHARS = 32;

/** The pane's own tag, where the pane is known: the decision replaces its alert. */
export const decisionTag = (identity: string | null, { id }: DecisionItem): string =>
  identity === null ? `decision-${id}`.slice(0, MAX_TAG_CHARS) : tagOf(identity);

/** After that a push service may discard an alert: it is of no use any more. */
export const ALERT_LIFETIME_SECONDS = 600;

/** An accepted alert about panes, which is withdrawn once its cause is gone. */
export const ShownNotification = z.object({
  device: z.string(),
  tag: z.string(),
  /** Panes whose prompts it stands for; it ends when all are handled. */
  identities: z.array(z.string()),
  reason: z.string(),
  pane: z.string(),
});
export type ShownNotification = z.infer<typeof ShownNotification>;

/** The notification of a device that has accepted the message; null where it concerns no pane. */
export function notificationOf(device: string, message: Message): ShownNotification | null {
  const { tag } = message;
  if (message.kind === "pane") {
    const { identities, screen } = message;
    return { device, tag, identities, reason: formOf(message).reason, pane: screen.pane.id };
  }
  if (message.kind !== "decision" || message.identity === null) return null;
  const { identity, paneId } = message;
  return { device, tag, identities: [identity], reason: "needs_input", pane: paneId };
}

/** The answer of a push service; `detail` is for people. No channel throws for such an answer. */
export type Outcome =
  | { is: "accepted"; detail: string }
  /** The service does not know the device any more: nothing is sent there again. */
  | { is: "gone"; detail: string }
  /** Sent again, it would be refused again. */
  | { is: "refused"; detail: string }
  /** Busy, broken or not reached. */
  | { is: "later"; detail: string; afterMs: number };

export const REQUEST_TIMEOUT_MS = 10_000;
const MAX_DETAIL_CHARS = 120;

interface Answer {
  status: number;
  /** In the service's own words. */
  reason: string;
  /** The service does not know the device any more. */
  isGone: boolean;
  /** The header `Retry-After`. */
  retryAfter: string | null | undefined;
}

export function outcomeOf({ status, reason, isGone, retryAfter }: Answer): Outcome {
  // Limited, on one line, printable.
  const words = reason.replace(/[^\x20-\x7e]+/g, " ").trim();
  const detail = `${status} ${words}`.trim().slice(0, MAX_DETAIL_CHARS);
  if (status >= 200 && status < 300) return { is: "accepted", detail };
  if (isGone) return { is: "gone", detail };
  if (status !== 429 && status < 500) return { is: "refused", detail };
  return { is: "later", detail, afterMs: retryAfterMs(retryAfter) };
}

/** Reads a `Retry-After` in seconds; its other form, a date, is rare and counts as none. */
function retryAfterMs(header: string | null | undefined): number {
  const seconds = Number(header ?? "");
  if (!Number.isFinite(seconds)) return 0;
  return Math.min(ALERT_LIFETIME_SECONDS, Math.max(0, seconds)) * 1000;
}
