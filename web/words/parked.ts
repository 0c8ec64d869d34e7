import { lazy, timeOfDay, waitText } from "./common.ts";

const day = lazy(
  () => new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" }),
);

/** No limit lasts longer; what is told of one that does is not to be believed, nor to be drawn. */
const MAX_SECONDS = 366 * 86_400;
export const isToldOf = (at: number | null, now: number): at is number =>
  at !== null && Math.abs(at - now) <= MAX_SECONDS;

/** `at 14:20`; on another day `on Wed 25 Nov at 09:00`. */
function when(at: number, now: number): string {
  if (!isToldOf(at, now)) return "at a time it does not say";
  const date = new Date(at * 1000);
  const isToday = date.toDateString() === new Date(now * 1000).toDateString();
  return `${isToday ? "" : `on ${day().format(date).replace(",", "")} `}at ${timeOfDay(at)}`;
}

export const parked = {
  /** Above those that one limit holds. */
  free: (until: number | null, now: number) => {
    if (!isToldOf(until, now)) return "Parked";
    return until <= now
      ? `Parked, free since ${timeOfDay(until)}`
      : `Parked, free ${when(until, now)}`;
  },
  freeAgain: (until: number | null, now: number) => {
    if (!isToldOf(until, now)) return "It does not say when it is free again.";
    if (until <= now) return `Free again since ${timeOfDay(until)}.`;
    return `Free again ${when(until, now)}, in ${waitText(until - now)}.`;
  },
  hint: (text: string, at: number, now: number) =>
    `Sends “${text}” once ${when(at, now)}, if its screen has not changed`,
  continues: (at: number, now: number) => `Continues ${when(at, now)}`,
  sent: (at: number, now: number) => `Continued ${when(at, now)}`,
  notSent: (reason: string) => `Not continued: ${reason}`,
};
