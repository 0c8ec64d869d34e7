import type {
  UsageBucket,
  UsageReason,
  UsageShare,
  UsageToday,
  UsageTotals,
} from "../protocol/usage.ts";
import { NO_USAGE } from "./parse.ts";

export const HISTORY_DAYS = 30;
const TOP = 3;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A value that is refreshed periodically: the last good one, and why the last refresh failed. */
export interface UsagePart<T> {
  value: T | null;
  /** Epoch seconds of the last good value; 0 when never. */
  fetchedAt: number;
  failure: { reason: UsageReason; detail: string } | null;
}

/** What a reply says about its parts: available as soon as one has a value or none has failed. */
export function availability(isEnabled: boolean, parts: readonly UsagePart<unknown>[]) {
  if (!isEnabled)
    return unavailable("disabled", "Usage tracking is disabled in the server settings.");
  const good = parts.filter((part) => part.value !== null);
  const failure = parts.map((part) => part.failure).find((found) => found !== null) ?? null;
  if (good.length === 0 && failure) return unavailable(failure.reason, failure.detail);
  return {
    available: true,
    reason: failure?.reason ?? null,
    detail: failure?.detail ?? null,
    fetched_at: good.length === 0 ? 0 : Math.min(...good.map((part) => part.fetchedAt)),
    stale: good.some((part) => part.failure !== null),
  };
}

function unavailable(reason: UsageReason, detail: string) {
  return { available: false, reason, detail, fetched_at: 0, stale: false };
}

/** The local date of an epoch second, some days before it. */
export function localDate(now: number, daysBefore = 0): string {
  const today = new Date(now * 1000);
  // Noon: a day of 23 or 25 hours does not change the date.
  const day = new Date(today.getFullYear(), today.getMonth(), today.getDate(), 12);
  const date = new Date(day.getTime() - daysBefore * DAY_MS);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** A day without a bucket took nothing; yesterday is null then, and there is no change to tell. */
export function todayOf(days: readonly UsageBucket[], now: number): UsageToday {
  const date = localDate(now);
  const today = days.find((day) => day.bucket === date);
  const yesterday = days.find((day) => day.bucket === localDate(now, 1))?.totals ?? null;
  const totals = today?.totals ?? { ...NO_USAGE };
  return {
    date,
    totals,
    yesterday,
    cost_delta_pct:
      yesterday && yesterday.cost > 0
        ? ((totals.cost - yesterday.cost) / yesterday.cost) * 100
        : null,
    top_models: top(today?.by_model ?? {}),
    top_clients: top(today?.by_client ?? {}),
  };
}

/** The days from `count` days up to today. */
export function lastDays(days: readonly UsageBucket[], count: number, now: number): UsageBucket[] {
  const first = localDate(now, count - 1);
  return days.filter((day) => day.bucket >= first);
}

function top(shares: Record<string, UsageTotals>): UsageShare[] {
  return Object.entries(shares)
    .map(([name, totals]) => ({ name, totals }))
    .sort((a, b) => b.totals.cost - a.totals.cost || b.totals.total - a.totals.total)
    .slice(0, TOP);
}
