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

/**
 * When the quiet hours that hold at `at` end (epoch seconds), or null when none hold. Equal start
 * and end are no hours at all. The end is a time on the wall: when the clocks change in between,
 * the night is an hour longer or shorter.
 */
export function quietEnd(quiet: QuietHours | null, at: number): number | null {
  if (!quiet) return null;
  const { start, end, time_zone } = quiet;
  const instant = Temporal.Instant.fromEpochMilliseconds(Math.floor(at * 1000));
  const now = instant.toZonedDateTimeISO(time_zone);
  const wall = now.toPlainTime().toString({ smallestUnit: "minute" });
  const [hasBegun, hasEnded] = [start <= wall, end <= wall];
  if (start <= end ? !hasBegun || hasEnded : !hasBegun && hasEnded) return null;
  const day = now.toPlainDate().add({ days: hasEnded ? 1 : 0 });
  const endOf = (disambiguation: "earlier" | "later") =>
    day.toPlainDateTime(end).toZonedDateTime(time_zone, { disambiguation }).epochMilliseconds /
    1000;
  // Where the clocks change, the wall may show that time twice, or never.
  return endOf("earlier") > at ? endOf("earlier") : endOf("later");
}
