import { keepsTyped } from "../detect/agents.ts";
import { isTextAlone } from "../detect/composer.ts";
import type { PaneState, Queued } from "../protocol/pane.ts";
import type { QueuedMessage } from "../protocol/queue.ts";
import type { Reading } from "../terminal/reading.ts";
import type { KeptList } from "./message-lists.ts";

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
  const { state, prompt, finding, composer } = now;
  if (!isForIt(list, now)) return "busy";
  const held = prompt === null ? whyHeld(list, state) : "asks";
  if (held !== null) return held;
  if (state.status !== "idle" || finding.keepsPrevious) return "busy";
  if (composer?.holds === "draft") return "typed";
  return composer?.holds === "nothing" ? null : "unclear";
}

/** Why a person's own press must not send it now; null: it may. */
export function whyNotNow(list: KeptList, message: QueuedMessage, now: Reading): string | null {
  const { state, prompt, finding, composer } = now;
  if (!isForIt(list, now)) return "another program runs in the pane";
  if (prompt !== null || state.status === "needs_input") return "it asks something first";
  if (finding.keepsPrevious) return "something covers its input line";
  if (state.status === "working" && !keepsTyped(list.agent))
    return "its program does not keep what is typed while it works";
  if (standsThere(message, now)) return null;
  if (composer?.holds === "draft") return "something is typed into its input line";
  return composer?.holds === "nothing" ? null : "it cannot be told what stands in its input line";
}

/** It was typed, and the service was ended before it pressed Enter. */
export function standsThere({ state, text }: QueuedMessage, { composer }: Reading): boolean {
  return state === "unknown" && composer?.holds === "draft" && isTextAlone(composer.text, text);
}

function isForIt({ identity, agent }: KeptList, { pane, state }: Reading): boolean {
  return pane.identity === identity && state.agent?.id === agent;
}
