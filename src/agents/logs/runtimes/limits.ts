import { detectLimit } from "../../../detect/limit.ts";
import { parseReset } from "../../../detect/reset-time.ts";
import type { LimitEvent } from "../events.ts";

/** Whether these words of the program itself tell that a limit has ended a turn. */
export const isLimit = (text: string): boolean => detectLimit([text]) !== null;

/** What they tell; a time without a date is meant from when the record was written. */
export function limitIn(text: string, at: number | null): LimitEvent {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const until = at === null ? null : parseReset(text, { at, zone });
  return { kind: "limit", at, reason: detectLimit([text])?.name ?? "usage limit", until };
}
