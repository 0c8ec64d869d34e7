import { timeOfDay, waitText } from "./common.ts";

/** Makes a value when it is first needed. Formatters load the data of their language, which takes long. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}

const MONTHS =
  "January February March April May June July August September October November December".split(
    " ",
  );
const weekday = lazy(
  () => new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" }),
);

/** Whole calendar days between two times: 0 on the same day, 1 for yesterday. */
export function daysBetween(at: number, now: number): number {
  const midnight = (seconds: number) => new Date(seconds * 1000).setHours(0, 0, 0, 0);
  // A day of a clock change is not 24 hours long.
  return Math.round((midnight(now) - midnight(at)) / 86_400_000);
}

/** Epoch seconds as a day: "3 November". By hand, as the time of day: a chat says it with each message. */
export function dayOf(at: number): string {
  const date = new Date(at * 1000);
  return `${date.getDate()} ${MONTHS[date.getMonth()]}`;
}

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

const shortDay = lazy(
  () => new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" }),
);

/** No limit lasts longer; what is told of one that does is not to be believed, nor to be drawn. */
const MAX_SECONDS = 366 * 86_400;
export const isPlausibleTime = (at: number | null, now: number): at is number =>
  at !== null && Math.abs(at - now) <= MAX_SECONDS;

/** `at 14:20`; on another day `on Wed 25 Nov at 09:00`. */
function when(at: number, now: number): string {
  if (!isPlausibleTime(at, now)) return "at a time it does not say";
  const date = new Date(at * 1000);
  const isToday = date.toDateString() === new Date(now * 1000).toDateString();
  return `${isToday ? "" : `on ${shortDay().format(date).replace(",", "")} `}at ${timeOfDay(at)}`;
}

export const parked = {
  /** Above those that one limit holds. */
  free: (until: number | null, now: number) => {
    if (!isPlausibleTime(until, now)) return "Parked";
    return until <= now
      ? `Parked, free since ${timeOfDay(until)}`
      : `Parked, free ${when(until, now)}`;
  },
  freeAgain: (until: number | null, now: number) => {
    if (!isPlausibleTime(until, now)) return "It does not say when it is free again.";
    if (until <= now) return `Free again since ${timeOfDay(until)}.`;
    return `Free again ${when(until, now)}, in ${waitText(until - now)}.`;
  },
  hint: (text: string, at: number, now: number) =>
    `Sends “${text}” once ${when(at, now)}, if its screen has not changed`,
  continues: (at: number, now: number) => `Continues ${when(at, now)}`,
  sent: (at: number, now: number) => `Continued ${when(at, now)}`,
  notSent: (reason: string) => `Not continued: ${reason}`,
};
