import { createHash } from "node:crypto";
import type { AlertReason } from "../protocol/push.ts";
import type { PaneSight } from "../terminal/transitions.ts";

export type PaneReason = Extract<AlertReason, "needs_input" | "error" | "finished">;
/** Of no pane: nothing stands that could be handled. */
export type DigestReason = Exclude<AlertReason, PaneReason>;

/** One appearance of something that a person may want to hear of. */
export type Occasion = {
  /** Another prompt, error or end of work in the same pane has another key. */
  key: string;
  /** Monotonic seconds of the pass that saw it first. */
  since: number;
  /** It happened while the pane was watched: only then may it alert. */
  isNews: boolean;
} & ({ reason: PaneReason; pane: PaneSight } | { reason: DigestReason; pane: null });

/** A moment by both clocks: durations run on the monotonic one, what people have set on the wall. */
export interface Moment {
  monotonic: number;
  /** Epoch seconds. */
  wall: number;
}

/**
 * What of a pane's state may alert. What waits counts before what failed, and that before what has
 * ended. A pane that the settings hide says nothing.
 */
export function standingOf(pane: PaneSight): { reason: PaneReason; key: string } | null {
  if (!pane.isShown) return null;
  const { status, prompt_since, status_since, finished_at } = pane.state;
  if (status === "needs_input")
    return { reason: "needs_input", key: `needs_input ${prompt_since ?? status_since}` };
  if (status === "error") return { reason: "error", key: `error ${status_since}` };
  if (finished_at !== null) return { reason: "finished", key: `finished ${finished_at}` };
  return null;
}

const TAG_CHARS = 24;

/** Names a pane's notifications, so that the next takes the place of the one before. */
export function tagOf(identity: string): string {
  const digest = createHash("sha256").update(identity).digest("base64url");
  return `pane-${digest.slice(0, TAG_CHARS)}`;
}
