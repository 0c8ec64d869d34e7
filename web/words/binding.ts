import { timeOfDay, lazy } from "./common.ts";

const day = lazy(() => new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long" }));

/** Epoch seconds as a day: `20 December`. */
export const dayName = (at: number): string => day().format(new Date(at * 1000));

/** Epoch seconds as a moment; `daysAgo` is in whole days. */
export function momentText(at: number, daysAgo: number): string {
  if (daysAgo === 0) return timeOfDay(at);
  return daysAgo === 1 ? `yesterday, ${timeOfDay(at)}` : `${dayName(at)}, ${timeOfDay(at)}`;
}
