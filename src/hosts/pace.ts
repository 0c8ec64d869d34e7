const LONGEST_SECONDS = 5;
/** So that most of the time a link is free for an answer. */
const ANSWERS_PER_PASS = 3;

export interface PaceFacts {
  /** Seconds between two passes of this machine. */
  wanted: number;
  roundTripMs: number | null;
  /** Nobody looks, and the last pass has found nothing new. */
  isIdle: boolean;
}

/** Seconds between two passes of a host: no link is asked faster than it answers. */
export function paceOf({ wanted, roundTripMs, isIdle }: PaceFacts): number {
  const least = Math.max(wanted, (ANSWERS_PER_PASS * (roundTripMs ?? 0)) / 1000);
  return Math.min(Math.max(LONGEST_SECONDS, wanted), isIdle ? 2 * least : least);
}
