import { z } from "zod";
import type { MenuOption } from "../protocol/pane.ts";

/** What one device is to be told; each channel has its own form of it. */
export type Message = {
  /** The next message with the same tag takes the place of this one. */
  tag: string;
  badge: number;
} & (
  | {
      kind: "pane";
      reason: "needs_input" | "error" | "finished";
      pane: {
        id: string;
        name: string;
        /** The machine that it is on, where that is another one. */
        host: string | null;
        provider: string;
        menu: readonly MenuOption[];
        isParked: boolean;
      };
      /** Of the panes that it stands for; `pane` is one of them. */
      identities: string[];
    }
  | { kind: "answered"; paneId: string }
  | {
      kind: "decision";
      agentId: string;
      decisionId: string;
      revision: number;
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

/** Before it is known how many cards wait. */
export type Draft = WithoutBadge<Message>;
type WithoutBadge<T> = T extends unknown ? Omit<T, "badge"> : never;

/** Of the one alert for several agents that the same limit has stopped. */
export const PARKED_TAG = "parked";

export const TITLE = "panewatch";

/** Generic on purpose: no name, target, question or option. */
export function messageText(message: Message): string {
  switch (message.kind) {
    case "pane":
      if (message.tag === PARKED_TAG) return "Agents wait for a limit to reset.";
      if (message.pane.isParked) return "An agent waits for a limit to reset.";
      return PANE_FORMS[message.reason].text;
    case "answered":
      return "Answered.";
    case "decision":
      return "An agent needs your decision.";
    case "grant":
      return `${message.name} was let in by ${message.by}.`;
    case "digest":
      return "Your agent review is ready.";
    case "quota":
      return "A usage limit is near.";
    case "test":
      return "Alerts reach this device.";
  }
}

/** What is said of a pane, without and behind its name, and how a topic marks that. */
export const PANE_FORMS = {
  needs_input: {
    text: "A pane needs your input.",
    named: "needs your input.",
    style: { priority: "high", tags: "raising_hand" },
  },
  error: {
    text: "A pane reported an error.",
    named: "reported an error.",
    style: { priority: "high", tags: "warning" },
  },
  finished: {
    text: "An agent has finished.",
    named: "has finished.",
    style: { priority: "default", tags: "white_check_mark" },
  },
} as const;

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
    const { identities, reason, pane } = message;
    return { device, tag, identities, reason, pane: pane.id };
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

const MAX_RETRY_AFTER_MS = 60_000;

/** A `Retry-After` in seconds; the other form, a date, is rare and counts as none. */
export function retryAfterMs(header: string | null | undefined): number {
  const seconds = Number(header ?? "");
  return Number.isFinite(seconds) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, seconds * 1000)) : 0;
}
