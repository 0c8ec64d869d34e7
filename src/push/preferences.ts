import type { ChosenPreferences, DeviceKind, Preferences, QuietHours } from "../protocol/push.ts";

/**
 * The chosen preferences over the defaults of the kind of device: no device is alerted of finished
 * work unless it chose so, and no native app of handled prompts.
 */
export function preferencesWith(
  kind: DeviceKind,
  { onError }: { onError: boolean },
  chosen?: ChosenPreferences,
): Preferences {
  const defaults: Preferences = {
    reasons: ["needs_input", ...(onError ? (["error"] as const) : []), "quota", "review"],
    wait_minutes: 0,
    remind_minutes: 0,
    quiet: null,
    muted: [],
    details: "none",
    answered: kind === "web" || kind === "webhook",
  };
  return Object.assign(defaults, chosen);
}

/** Whether alerts about this target are muted at this time (epoch seconds). */
export function isMuted({ muted }: Preferences, target: string, at: number): boolean {
  return muted.some((pane) => pane.target === target && (pane.until === null || at < pane.until));
}

/**
 * The end of the quiet hours at `at` (epoch seconds); null outside of them, and where start and end
 * are equal. They end by the wall clock: a night with a clock change is an hour longer or shorter.
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
  // On the day of a clock change that time may occur twice, or never.
  return endOf("earlier") > at ? endOf("earlier") : endOf("later");
}
