import type { ChosenPreferences, DeviceKind, Preferences, QuietHours } from "../protocol/push.ts";

/**
 * Of what a device has not chosen its kind decides: a native app is told of nothing that was handled,
 * and no device of what has finished, unasked.
 */
export function preferencesWith(
  kind: DeviceKind,
  { onError }: { onError: boolean },
  chosen?: ChosenPreferences,
): Preferences {
  const unasked: Preferences = {
    reasons: ["needs_input", ...(onError ? (["error"] as const) : []), "quota", "review"],
    wait_minutes: 0,
    remind_minutes: 0,
    quiet: null,
    muted: [],
    details: "none",
    answered: kind === "web" || kind === "webhook",
  };
  return Object.assign(unasked, chosen);
}

/** Whether alerts about this target are muted at this time (epoch seconds). */
export function isMuted({ muted }: Preferences, target: string, at: number): boolean {
  return muted.some((pane) => pane.target === target && (pane.until === null || at < pane.until));
}

const DAY_MINUTES = 24 * 60;

/**
 * When the quiet hours that hold at `at` end (epoch seconds), or null when none hold. Equal start
 * and end are no hours at all. The end is a time on the wall: when the clocks change in between,
 * the night is an hour longer or shorter.
 */
export function quietEnd(quiet: QuietHours | null, at: number): number | null {
  if (!quiet) return null;
  const start = minutesOf(quiet.start);
  const end = minutesOf(quiet.end);
  const now = wallMinutes(at, quiet.time_zone);
  const length = modulo(end - start, DAY_MINUTES);
  if (modulo(now - start, DAY_MINUTES) >= length) return null;
  const rough = startOfMinute(at) + modulo(end - now, DAY_MINUTES) * 60;
  // Where the clocks changed meanwhile, the wall shows another minute than was counted.
  const drift = modulo(wallMinutes(rough, quiet.time_zone) - end + 720, DAY_MINUTES) - 720;
  const corrected = rough - drift * 60;
  return corrected > at ? corrected : rough;
}

function startOfMinute(at: number): number {
  return Math.floor(at / 60) * 60;
}

function minutesOf(clockTime: string): number {
  const [hours = "0", minutes = "0"] = clockTime.split(":");
  return Number(hours) * 60 + Number(minutes);
}

function modulo(value: number, base: number): number {
  return ((value % base) + base) % base;
}

function wallMinutes(at: number, timeZone: string): number {
  const wall: Intl.DateTimeFormatOptions = { timeZone, hour: "2-digit", minute: "2-digit" };
  return minutesOf(new Intl.DateTimeFormat("en-GB", wall).format(at * 1000));
}
