import { z } from "zod";
import type { ScreenNeed } from "../cards/card-place.ts";
import type { ScreenCard } from "../cards/cards.ts";
import { sha256 } from "../lib/digest.ts";
import type { DecisionItem } from "../protocol/agents.ts";
import type { AlertReason } from "../protocol/push.ts";

/** What one device is to be told; each channel has its own form of it. */
export type Message = {
  /** The next message with the same tag takes the place of this one. */
  tag: string;
} & (
  | {
      kind: "pane";
      /** What it is drawn from: the first of what it stands for. */
      screen: ScreenCard;
      /** Of the panes that it stands for. */
      identities: string[];
    }
  | { kind: "answered"; paneId: string }
  | {
      kind: "decision";
      decision: DecisionItem;
      paneId: string;
      /** Of the pane that asks it; null where none is known to. */
      identity: string | null;
    }
  /** Somebody may come in from now on. */
  | { kind: "grant"; name: string; by: string }
  | { kind: "digest" }
  | { kind: "quota" }
  | { kind: "test" }
);

export type PaneMessage = Extract<Message, { kind: "pane" }>;

/** With how many cards wait when it is sent. */
export type Badged<M extends Message = Message> = M & { badge: number };

/** Of the one alert for all panes that quiet hours held back. */
export const SUMMARY_TAG = "waiting";
/** Of the one alert for several agents that the same limit has stopped. */
export const PARKED_TAG = "parked";

const TAG_CHARS = 24;

/** Names a pane's notifications, so that the next takes the place of the one before. */
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

/** Generic on purpose: no name, target, question or option. */
export function messageText(message: Message): string {
  if (message.kind === "grant") return `${message.name} was let in by ${message.by}.`;
  if (message.kind !== "pane") return TEXTS[message.kind];
  if (message.tag === PARKED_TAG) return "Agents wait for a limit to reset.";
  return formOf(message).text;
}

/**
 * Of each thing that a pane's screen asks for: the reason by which devices choose it, what is said
 * of it without and behind the pane's name, and how a topic marks it.
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
/** Of no pane: nothing stands that could be handled. */
export type DigestReason = Exclude<AlertReason, PaneReason>;

export const DIGESTS = {
  review: { kind: "digest", tag: "review" },
  quota: { kind: "quota", tag: "quota" },
} as const satisfies Record<DigestReason, Message>;

const MAX_TAG_CHARS = 32;

/** In the place of its pane's alert, where that is known. */
export const decisionTag = (identity: string | null, { id }: DecisionItem): string =>
  identity === null ? `decision-${id}`.slice(0, MAX_TAG_CHARS) : tagOf(identity);

/** Seconds after which a push service may throw an alert away: later it is of no use. */
export const ALERT_LIFETIME_SECONDS = 600;

/** What a device has been sent of panes, and has to vanish once its cause is gone. */
export const ShownNotification = z.object({
  device: z.string(),
  tag: z.string(),
  /** Panes whose handling ends it: one, or those of an alert for several. */
  identities: z.array(z.string()),
  reason: z.string(),
  pane: z.string(),
});
export type ShownNotification = z.infer<typeof ShownNotification>;

/** What a device that has accepted this message shows of panes; null: it is about none. */
export function shownOf(device: string, message: Message): ShownNotification | null {
  const { tag } = message;
  if (message.kind === "pane") {
    const { identities, screen } = message;
    return { device, tag, identities, reason: formOf(message).reason, pane: screen.pane.id };
  }
  if (message.kind !== "decision" || message.identity === null) return null;
  const { identity, paneId } = message;
  return { device, tag, identities: [identity], reason: "needs_input", pane: paneId };
}

/**
 * What a push service did with a message, in a few words for people in `detail`. No channel throws
 * for what a push service does.
 */
export type Outcome =
  | { is: "accepted"; detail: string }
  /** The service knows the device no more: nothing is to be sent there again. */
  | { is: "gone"; detail: string }
  /** Sent again, it would be refused again. */
  | { is: "refused"; detail: string }
  /** Busy, broken or not reached. */
  | { is: "later"; detail: string; afterMs: number };

export const REQUEST_TIMEOUT_MS = 10_000;
const MAX_DETAIL_CHARS = 120;

/** What a service wrote beside its status: bounded, on one line, printable. */
export function outcomeDetail(status: number, reason: string): string {
  const words = reason.replace(/[^\x20-\x7e]+/g, " ").trim();
  return `${status} ${words}`.trim().slice(0, MAX_DETAIL_CHARS);
}

/** A `Retry-After` in seconds; the other form, a date, is rare and counts as none. */
export function retryAfterMs(header: string | null | undefined): number {
  const seconds = Number(header ?? "");
  if (!Number.isFinite(seconds)) return 0;
  return Math.min(ALERT_LIFETIME_SECONDS, Math.max(0, seconds)) * 1000;
}
