import { keepsTyped } from "../detect/agents.ts";
import { isTextAlone } from "../detect/composer.ts";
import type { PaneState, Queued } from "../protocol/pane.ts";
import type { QueuedMessage } from "../protocol/queue.ts";
import type { Reading } from "../terminal/reading.ts";
import type { KeptList } from "./message-lists.ts";
import { obstacleOf } from "./obstacle.ts";

export type Held = Queued["held"];

/** What holds a list, by what is published of its pane; null: its agent's work alone. */
export function whyHeld({ messages }: KeptList, { status, parked, question }: PaneState): Held {
  if (messages.some(({ state }) => state === "unknown")) return "unknown";
  if (status === "needs_input" || question !== null) return "asks";
  if (parked !== null) return "parked";
  return status === "error" ? "error" : null;
}

/** Why nothing may be typed into this screen by itself; null: it is free. */
export function whyNotFree(list: KeptList, now: Reading): Held | "busy" {
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
export function whyNotNow(list: KeptList, message: QueuedMessage, now: Reading): string | null {
  const { status } = now.state;
  if (!isForIt(list, now)) return "another program runs in the pane";
  const obstacle = obstacleOf(now, status);
  if (obstacle === "asks" || obstacle === "busy") return NOT_NOW[obstacle];
  if (status === "working" && !keepsTyped(list.agent))
    return "its program does not keep what is typed while it works";
  return obstacle === null || standsThere(message, now) ? null : NOT_NOW[obstacle];
}

/** It was typed, and the service was ended before it pressed Enter. */
export function standsThere({ state, text }: QueuedMessage, { composer }: Reading): boolean {
  return state === "unknown" && composer?.holds === "draft" && isTextAlone(composer.text, text);
}

function isForIt({ identity, agent }: KeptList, { pane, state }: Reading): boolean {
  return pane.identity === identity && state.agent?.id === agent;
}
