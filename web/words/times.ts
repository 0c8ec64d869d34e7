import { lazy, timeOfDay } from "./common.ts";

const day = lazy(() => new Intl.DateTimeFormat("en", { day: "numeric", month: "long" }));
const weekday = lazy(
  () => new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" }),
);

/** Whole calendar days between two times: 0 on the same day, 1 for yesterday. */
export function daysBetween(at: number, now: number): number {
  const midnight = (seconds: number) => new Date(seconds * 1000).setHours(0, 0, 0, 0);
  // A day of a clock change is not 24 hours long.
  return Math.round((midnight(now) - midnight(at)) / 86_400_000);
}

/** Epoch seconds as a day: "3 November". */
export const dayOf = (at: number): string => {
  const parts = day().formatToParts(new Date(at * 1000));
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("day")} ${part("month")}`;
};

/** The heading of a day: "Today", "Yesterday", "Tuesday 3 November". */
export function dayText(at: number, now: number): string {
  const ago = daysBetween(at, now);
  if (ago === 0) return "Today";
  return ago === 1 ? "Yesterday" : weekday().format(new Date(at * 1000));
}

/** The same within a sentence. */
export const dayWithin = (at: number, now: number): string =>
  dayText(at, now).replace(/^(Today|Yesterday)$/, (word) => word.toLowerCase());

/** As near as it matters: "09:31", "yesterday 21:10", "3 November". */
export function whenText(at: number, now: number): string {
  const ago = daysBetween(at, now);
  if (ago <= 0) return timeOfDay(at);
  return ago === 1 ? `yesterday ${timeOfDay(at)}` : dayOf(at);
}

/** With the time of day: "09:31", "yesterday 21:10", "3 November, 21:10". */
export const momentText = (at: number, now = Date.now() / 1000): string =>
  daysBetween(at, now) <= 1 ? whenText(at, now) : `${dayOf(at)}, ${timeOfDay(at)}`;
