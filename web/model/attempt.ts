/** Why the server did not take it. */
export type Conflict =
  | "prompt_changed"
  | "options_changed"
  | "endpoint_stale"
  | "host_away"
  | "endpoint_moved"
  | "revision_stale"
  | "capability_unavailable"
  | "unknown_pane"
  | "idempotency_key_expired"
  | "no_connection"
  | "unseen"
  | "other";

/**
 * Where one attempt to answer something stands. Its subject may be the prompt of a pane or anything
 * else that is answered once, as long as it can be told apart by a signature.
 */
export type Attempt<Sent> =
  | { readonly step: "sending"; readonly sent: Sent }
  | {
      readonly step: "sent";
      readonly sent: Sent;
      /** Monotonic milliseconds when it was sent, or confirmed. */
      readonly at: number;
      readonly confirmed: boolean;
    }
  /** It may have arrived: nothing can be sent until the person has looked at the terminal. */
  | { readonly step: "uncertain"; readonly sent: Sent; readonly isPart: boolean }
  /**
   * Nothing was sent; shown for as long as the subject is the one with this signature. `isMoved`: it is
   * the same one, and stood there too short.
   */
  | { readonly step: "changed"; readonly signature: string; readonly isMoved: boolean }
  | {
      readonly step: "refused";
      readonly conflict: Conflict;
      readonly reason: string;
      /** Of what it is said; null until it is known what stands there now. */
      readonly signature: string | null;
    };

/** Whether other answers to the same subject are held back. */
export function holdsAnswers<Sent>(
  attempt: Attempt<Sent> | null,
): attempt is Extract<Attempt<Sent>, { readonly sent: Sent }> {
  return attempt !== null && "sent" in attempt;
}

/** After this long without a confirmation the card says so. */
const UNCONFIRMED_MS = 5000;

/** Whether nothing has followed an answer for a while. */
export const isLate = (attempt: Attempt<unknown> | null, nowMs: number): boolean =>
  attempt?.step === "sent" && !attempt.confirmed && nowMs - attempt.at >= UNCONFIRMED_MS;

/** A confirmed answer stands this long, and until the screen was untouched for a moment. */
const CONFIRMED_MS = 2000;
export const UNTOUCHED_MS = 1000;

/** Whether a confirmed answer was there to be read, and no hand is on the screen. */
export const isRead = (
  attempt: Attempt<unknown> | null,
  nowMs: number,
  untouchedMs: number,
): boolean =>
  attempt?.step === "sent" &&
  attempt.confirmed &&
  nowMs - attempt.at >= CONFIRMED_MS &&
  untouchedMs >= UNTOUCHED_MS;

const CONFLICTS: ReadonlySet<string> = new Set<Conflict>([
  "prompt_changed",
  "options_changed",
  "endpoint_stale",
  "host_away",
  "endpoint_moved",
  "revision_stale",
  "capability_unavailable",
  "unknown_pane",
  "idempotency_key_expired",
  "no_connection",
  "unseen",
]);
export const conflictOf = (reason: string): Conflict =>
  CONFLICTS.has(reason) ? (reason as Conflict) : "other"; // One of the set.
