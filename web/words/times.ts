import { daysBetween, timeOfDay, waitText } from "./common.ts";

/** Makes a value at its first use: formatters load the data of their language, which takes long. */
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

/** "3 November", from epoch seconds. Not by `Intl`: a chat formats it for each message. */
export function dayOf(at: number): string {
  const date = new Date(at * 1000);
  return `${date.getDate()} ${MONTHS[date.getMonth()]}`;
}

/** As a heading: "Today", "Yesterday", "Tuesday 3 November". */
export function dayText(at: number, now: number): string {
  const ago = daysBetween(at, now);
  if (ago === 0) return "Today";
  return ago === 1 ? "Yesterday" : weekday().format(new Date(at * 1000));
}

export const dayWithin = (at: number, now: number): string =>
  dayText(at, now).replace(/^(Today|Yesterday)$/, (word) => word.toLowerCase());

/** By the calendar days since then. */
const NEAR_DAYS = new Map([
  [0, ""],
  [1, "yesterday "],
  [-1, "tomorrow "],
]);

/** "09:31", "yesterday 21:10", "3 November". */
export function whenText(at: number, now: number): string {
  const day = NEAR_DAYS.get(daysBetween(at, now));
  return day === undefined ? dayOf(at) : day + timeOfDay(at);
}

/** "09:31", "yesterday 21:10", "3 November, 21:10". */
export const momentText = (at: number, now = Date.now() / 1000): string =>
  NEAR_DAYS.has(daysBetween(at, now)) ? whenText(at, now) : `${dayOf(at)}, ${timeOfDay(at)}`;

/** In a sentence: "at 09:31", "yesterday at 21:10", "on 3 November at 21:10". */
export const atText = (at: number, now: number): string =>
  `${NEAR_DAYS.get(daysBetween(at, now)) ?? `on ${dayOf(at)} `}at ${timeOfDay(at)}`;

/** A limit that is said to last longer than a year was misread. */
const MAX_SECONDS = 366 * 86_400;
export const isPlausibleTime = (at: number | null, now: number): at is number =>
  at !== null && Math.abs(at - now) <= MAX_SECONDS;

const when = (at: number, now: number): string =>
  isPlausibleTime(at, now) ? atText(at, now) : "at a time it does not say";

export const parked = {
  /** The heading of a group that one limit has parked. */
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
