import { timeOfDay, lazy } from "./common.ts";

// A formatter takes a phone a tenth of a second to make: each when it is first needed.
const moneyFormat = lazy(() => new Intl.NumberFormat("en", { style: "currency", currency: "USD" }));
const compactFormat = lazy(
  () => new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }),
);
const partFormat = lazy(
  () =>
    new Intl.NumberFormat("en", {
      ...{ style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" },
    }),
);
const weekday = lazy(() => new Intl.DateTimeFormat("en-GB", { weekday: "short" }));
const day = lazy(
  () => new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" }),
);
const month = lazy(
  () => new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", timeZone: "UTC" }),
);
const DAY = 86_400;

export const money = (dollars: number): string => moneyFormat().format(dollars);
export const compact = (n: number): string => compactFormat().format(n);
export const tokens = (n: number): string => `${compact(n)} tokens`;
/** A part of 1, with its sign. */
export const change = (part: number): string => partFormat().format(part);

/** A time of day, with the weekday when it is another day. */
export function nearText(at: number, now: number): string {
  const isSoon = Math.abs(at - now) < DAY;
  return isSoon ? timeOfDay(at) : `${weekday().format(new Date(at * 1000))} ${timeOfDay(at)}`;
}

/** The beginning of a bucket, `YYYY-MM-DDTHH:MM`, as a label of its period. */
export function bucketText(period: string, beginning: string): string {
  const at = new Date(`${beginning}Z`);
  if (period === "hourly") return beginning.slice(11, 16);
  return period === "daily" ? day().format(at) : month().format(at);
}
