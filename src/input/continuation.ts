import { z } from "zod";
import type { ContinueThen, PaneState } from "../protocol/pane.ts";
import type { Reading } from "../terminal/reading.ts";
import { obstacleOf } from "./obstacle.ts";
import { refusal } from "./refused.ts";

/** The provider counts by a clock of its own. */
const AFTER_RESET_SECONDS = 60;
/** All that a limit has stopped must not come back in the same second. */
const SPREAD_SECONDS = 60;

/** Words that a person wants sent to one pane, once, when its limit is over. */
export const Continuation = z.object({
  /** Of the pane: an id may be given out again. */
  identity: z.string(),
  id: z.string(),
  text: z.string(),
  /** Epoch seconds of the reset, as the pane told it. */
  until: z.number(),
  /** The words of the notice that ended the turn. */
  end: z.string(),
  /** `sending` is written before anything leaves: what it became is not known after a crash. */
  state: z.enum(["set", "sending", "sent", "not_sent"]),
  /** Epoch seconds: when it is due, or became what it is. */
  at: z.number(),
  reason: z.string().nullable(),
});
export type Continuation = z.infer<typeof Continuation>;

/**
 * @param until of the limit that the person saw
 * @throws AppError conflict where the pane is not parked, or not as that person saw it
 */
export function continuationFor(
  { identity, id }: Pick<Continuation, "identity" | "id">,
  { text, until }: Pick<Continuation, "text" | "until">,
  { pane, now, random }: { pane: PaneState; now: number; random: number },
): Continuation {
  const { parked } = pane;
  if (parked === null || pane.stale || !pane.actionable)
    throw refusal("not_parked", "no limit holds this pane now");
  if (pane.capabilities.input !== "legacy")
    throw refusal("guarded_input_required", "guarded input required");
  if (parked.continues) throw refusal("not_parked", "its program goes on by itself then");
  if (parked.until === null) throw refusal("not_parked", "it does not tell when its limit is over");
  if (parked.until !== until) throw refusal("reset_changed", "it tells another time now");
  if (until <= now) throw refusal("not_parked", "its limit is over");
  const at = until + AFTER_RESET_SECONDS + random * SPREAD_SECONDS;
  return { identity, id, text, until, end: endOf(pane), state: "set", at, reason: null };
}

/** Whether the screen still shows exactly that end, asks nothing, and would take a text. */
export function isSameEnd({ end }: Continuation, now: Reading): boolean {
  return now.state.parked !== null && endOf(now.state) === end && obstacleOf(now, "error") === null;
}

export function shownOf({ state, at, text, reason }: Continuation): ContinueThen {
  return { state: state === "sending" ? "set" : state, at, text, reason };
}

/** Its lines break elsewhere in a pane of another width. */
function endOf({ evidence }: PaneState): string {
  return evidence.join("").replace(/\s+/g, "");
}
