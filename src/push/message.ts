import type { MenuOption } from "../protocol/pane.ts";

/** What one device is to be told; each channel has its own form of it. */
export type Message = {
  /** The next message with the same tag takes the place of this one. */
  tag: string;
  /** How many panes wait for a person. */
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
  | { kind: "digest" }
  | { kind: "quota" }
  | { kind: "test" }
);

/** Of the one alert for several agents that the same limit has stopped. */
export const PARKED_TAG = "parked";

export const TITLE = "panewatch";

/** Generic on purpose: no name, target, question or option. */
export function textOf(message: Message): string {
  switch (message.kind) {
    case "pane":
      return message.tag === PARKED_TAG ? PARKED_TEXT : PANE_TEXTS[message.reason];
    case "answered":
      return "Answered.";
    case "decision":
      return "An agent needs your decision.";
    case "digest":
      return "Your agent review is ready.";
    case "quota":
      return "A usage limit is near.";
    case "test":
      return "Alerts reach this device.";
  }
}

const PARKED_TEXT = "Agents wait for a limit to reset.";

const PANE_TEXTS = {
  needs_input: "A pane needs your input.",
  error: "A pane reported an error.",
  finished: "An agent has finished.",
} as const;

/** Seconds after which a push service may throw an alert away: later it is of no use. */
export const LIFETIME_SECONDS = 600;
