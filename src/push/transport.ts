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
export function detailOf(status: number, reason: string): string {
  const words = reason.replace(/[^\x20-\x7e]+/g, " ").trim();
  return `${status} ${words}`.trim().slice(0, MAX_DETAIL_CHARS);
}

const MAX_RETRY_AFTER_MS = 60_000;

/** A `Retry-After` in seconds; the other form, a date, is rare and counts as none. */
export function retryAfterMs(header: string | null | undefined): number {
  const seconds = Number(header ?? "");
  return Number.isFinite(seconds) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, seconds * 1000)) : 0;
}
