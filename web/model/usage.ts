import type {
  UsageBucket,
  UsagePeriod,
  UsageQuota,
  UsageShare,
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

/** How long a quota's window is, from its label: `5h`, `5 hours`, `Weekly`. Null when it does not say. */
export function windowSeconds(label: string): number | null {
  for (const [, number, unit] of label.toLowerCase().matchAll(/(\d+)?[\s-]*([a-z]+)/g)) {
    const seconds = UNITS.find(([pattern]) => pattern.test(unit ?? ""))?.[1];
    if (seconds !== undefined) return seconds * (number === undefined ? 1 : Number(number));
  }
  return null;
}

/** 0 to 1; null when it cannot be known. */
export function elapsedPart(metric: Metric, now: number): number | null {
  const seconds = windowSeconds(metric.label);
  if (seconds === null || metric.resets_at === null) return null;
  const left = metric.resets_at - now;
  return left < 0 || left > seconds ? null : 1 - left / seconds;
}

export type Pace = "ahead" | "on" | "below";

/** A difference that is not worth a word, in percent of the quota. */
const PACE_TOLERANCE = 5;

export function paceOf(usedPercent: number, elapsed: number): Pace {
  const difference = usedPercent - elapsed * 100;
  if (difference > PACE_TOLERANCE) return "ahead";
  return difference < -PACE_TOLERANCE ? "below" : "on";
}

export const usedPercent = (metric: Metric): number | null =>
  metric.used_percent ??
  (metric.remaining_percent === null ? null : 100 - metric.remaining_percent);

export const remainingPercent = (metric: Metric): number | null =>
  metric.remaining_percent ?? (metric.used_percent === null ? null : 100 - metric.used_percent);

export interface Point {
  readonly bucket: string;
  /** Null where nothing was used. */
  readonly totals: UsageTotals | null;
}

const MAX_POINTS = 400;

/** The buckets with the empty ones between them, so that a chart's axis is a time. */
export function pointsOf(period: UsagePeriod, buckets: readonly UsageBucket[]): readonly Point[] {
  const known = new Map(buckets.map((bucket) => [bucket.bucket, bucket.totals]));
  const last = buckets.at(-1)?.bucket;
  const points: Point[] = [];
  for (
    let bucket = buckets[0]?.bucket;
    bucket !== undefined && last !== undefined && bucket <= last && points.length < MAX_POINTS;
    bucket = bucketAfter(period, bucket)
  )
    points.push({ bucket, totals: known.get(bucket) ?? null });
  return points;
}

/** Labels are local; counted on in UTC, no clock change can skip or repeat one. */
function bucketAfter(period: UsagePeriod, bucket: string): string {
  const at = new Date(`${dateTextOf(bucket)}Z`);
  if (period === "hourly") at.setUTCHours(at.getUTCHours() + 1);
  else if (period === "daily") at.setUTCDate(at.getUTCDate() + 1);
  else at.setUTCMonth(at.getUTCMonth() + 1);
  const text = at.toISOString();
  if (period === "hourly") return `${text.slice(0, 10)} ${text.slice(11, 13)}:00`;
  return text.slice(0, period === "daily" ? 10 : 7);
}

/** The beginning of a bucket as `YYYY-MM-DDTHH:MM`. */
export function dateTextOf(bucket: string): string {
  if (bucket.length === 7) return `${bucket}-01T00:00`;
  return bucket.length === 10 ? `${bucket}T00:00` : bucket.replace(" ", "T");
}

/** Money where any is known, else tokens. */
export const measureOf = (buckets: readonly UsageBucket[]): "cost" | "total" =>
  buckets.some(({ totals }) => totals.cost > 0) ? "cost" : "total";

/** What each name took over all buckets, the largest first. */
export function sharesOf(
  buckets: readonly UsageBucket[],
  by: "by_model" | "by_client",
  measure: "cost" | "total",
): readonly UsageShare[] {
  const shares = new Map<string, UsageTotals>();
  for (const bucket of buckets)
    for (const [name, totals] of Object.entries(bucket[by]))
      shares.set(name, addTotals(shares.get(name), totals));
  return [...shares]
    .map(([name, totals]) => ({ name, totals }))
    .toSorted((a, b) => b.totals[measure] - a.totals[measure]);
}

function addTotals(a: UsageTotals | undefined, b: UsageTotals): UsageTotals {
  if (a === undefined) return b;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cache_read: a.cache_read + b.cache_read,
    cache_write: a.cache_write + b.cache_write,
    reasoning: a.reasoning + b.reasoning,
    total: a.total + b.total,
    cost: a.cost + b.cost,
    messages: a.messages + b.messages,
  };
}

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
