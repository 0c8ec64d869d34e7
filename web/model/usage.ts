import type {
  UsageBucket,
  UsagePeriod,
  UsageQuota,
  UsageTotals,
} from "../../src/protocol/usage.ts";
import { timeOfDay } from "../words/common.ts";
import { lazy } from "../words/times.ts";

export type Metric = UsageQuota["metrics"][number];

const HOUR = 3600;
const DAY = 24 * HOUR;
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(h|hr|hrs|hour|hours|hourly)$/, HOUR],
  [/^(d|day|days|daily)$/, DAY],
  [/^(w|week|weeks|weekly)$/, 7 * DAY],
];

/**
 * Seconds of a quota's window, from its label (`5h`, `5 hours`, `Weekly`); null where it does not
 * say.
 */
export function windowSeconds(label: string): number | null {
  for (const [, number, unit] of label.toLowerCase().matchAll(/(\d+)?[\s-]*([a-z]+)/g)) {
    const seconds = UNITS.find(([pattern]) => pattern.test(unit ?? ""))?.[1];
    if (seconds !== undefined) return seconds * (number === undefined ? 1 : Number(number));
  }
  return null;
}

/** The elapsed part of the window, 0 to 1; null where it is not known. */
export function elapsedPart(metric: Metric, now: number): number | null {
  const seconds = windowSeconds(metric.label);
  if (seconds === null || metric.resets_at === null) return null;
  const left = metric.resets_at - now;
  return left < 0 || left > seconds ? null : 1 - left / seconds;
}

/** Percentage points that count as on pace. */
const PACE_TOLERANCE = 5;

export function paceOf(usedPercent: number, elapsed: number): "ahead" | "on" | "below" {
  const difference = usedPercent - elapsed * 100;
  if (difference > PACE_TOLERANCE) return "ahead";
  return difference < -PACE_TOLERANCE ? "below" : "on";
}

const NOTHING = { cost: 0, total: 0, messages: 0 };

interface Point {
  readonly bucket: string;
  readonly label: string;
  readonly totals: Pick<UsageTotals, keyof typeof NOTHING>;
}

const MAX_POINTS = 400;

/**
 * The labels of the buckets of a period, and the step to the next. Buckets are named by local times;
 * stepping in UTC, no clock change skips or repeats one.
 */
const AXES: Readonly<
  Record<UsagePeriod, { readonly labelOf: (at: Date) => string; readonly goOn: (at: Date) => void }>
> = {
  hourly: {
    labelOf: (at) => at.toISOString().slice(11, 16),
    goOn: (at) => at.setUTCHours(at.getUTCHours() + 1),
  },
  daily: {
    labelOf: (at) => day().format(at),
    goOn: (at) => at.setUTCDate(at.getUTCDate() + 1),
  },
  monthly: {
    labelOf: (at) => month().format(at),
    goOn: (at) => at.setUTCMonth(at.getUTCMonth() + 1),
  },
};

/** Fills in empty buckets, so that the axis of a chart is linear in time. */
export function pointsOf(period: UsagePeriod, buckets: readonly UsageBucket[]): readonly Point[] {
  const { labelOf, goOn } = AXES[period];
  const known = new Map(buckets.map(({ bucket, totals }) => [bucket, totals]));
  const [first = "", last = ""] = [buckets[0]?.bucket, buckets.at(-1)?.bucket];
  const points: Point[] = [];
  if (first === "") return points;
  const at = new Date(first.includes(" ") ? `${first.replace(" ", "T")}Z` : first);
  while (points.length < MAX_POINTS) {
    // A name is the beginning of an ISO time, with a space.
    const bucket = at.toISOString().slice(0, first.length).replace("T", " ");
    if (bucket > last) break;
    points.push({ bucket, label: labelOf(at), totals: known.get(bucket) ?? NOTHING });
    goOn(at);
  }
  return points;
}

export type Measure = "cost" | "total";
export type Share = readonly [name: string, amount: number];

/** Cost where any is known, else tokens. */
export const measureOf = (buckets: readonly UsageBucket[]): Measure =>
  buckets.some(({ totals }) => totals.cost > 0) ? "cost" : "total";

/** The sum of each name over all buckets, the largest first. */
export function sharesOf(
  buckets: readonly UsageBucket[],
  by: "by_model" | "by_client",
  measure: Measure,
): readonly Share[] {
  const shares = new Map<string, number>();
  for (const bucket of buckets)
    for (const [name, totals] of Object.entries(bucket[by]))
      shares.set(name, (shares.get(name) ?? 0) + totals[measure]);
  return [...shares].toSorted(([, a], [, b]) => b - a);
}

// A formatter takes a phone 0.1 s to make: each is made at its first use.
const moneyFormat = lazy(() => new Intl.NumberFormat("en", { style: "currency", currency: "USD" }));
const compactFormat = lazy(
  () => new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }),
);
const partFormat = lazy(
  () =>
    new Intl.NumberFormat("en", {
      style: "percent",
      maximumFractionDigits: 0,
      signDisplay: "exceptZero",
    }),
);
const weekday = lazy(() => new Intl.DateTimeFormat("en-GB", { weekday: "short" }));
const day = lazy(
  () => new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" }),
);
const month = lazy(
  () => new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", timeZone: "UTC" }),
);

export const money = (dollars: number): string => moneyFormat().format(dollars);
export const compact = (n: number): string => compactFormat().format(n);
export const tokens = (n: number): string => `${compact(n)} tokens`;
/** A fraction as a signed percentage. */
export const change = (part: number): string => partFormat().format(part);

/** With the weekday where it is more than a day away. */
export function nearText(at: number, now: number): string {
  const isSoon = Math.abs(at - now) < DAY;
  return isSoon ? timeOfDay(at) : `${weekday().format(new Date(at * 1000))} ${timeOfDay(at)}`;
}
