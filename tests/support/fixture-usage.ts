import {
  type UsageBucket,
  type UsageHistory,
  type UsageQuota,
  UsageReply,
  UsageTotals,
} from "../../src/protocol/usage.ts";
import { fixture } from "./fixture.ts";
import { NOW } from "./fixture-panes.ts";

const HOUR = 3600;

export function totals(cost: number): UsageTotals {
  const total = Math.round(cost * 310_000);
  return fixture(UsageTotals, {
    ...{ input: Math.round(total * 0.04), output: Math.round(total * 0.06) },
    ...{ cache_read: Math.round(total * 0.8), cache_write: Math.round(total * 0.1) },
    ...{ total, cost, messages: Math.round(cost * 9) },
  });
}

const metric = (label: string, used: number, resetsIn: number) => ({
  label,
  used_percent: used,
  remaining_percent: 100 - used,
  remaining_label: null,
  resets_at: NOW + resetsIn,
  resets_at_raw: null,
});

/** Quotas on, ahead of and below their pace, one of them low. */
export function usageReply(members: Partial<UsageReply> = {}): UsageReply {
  const quota = (provider: string, plan: string | null, ...metrics: UsageQuota["metrics"]) => ({
    ...{ provider, plan, account: null, metrics },
  });
  const top = (...names: string[]) =>
    names.map((name, at) => ({ name, totals: totals([8.1, 3.2, 1.1][at] ?? 0) }));
  return {
    ...fixture(UsageReply, { available: true, fetched_at: NOW - 120 }),
    quotas: [
      quota("Claude", "Max", metric("5 hours", 58, 1.9 * HOUR), metric("Week", 84, 65 * HOUR)),
      quota("Codex", null, metric("5h", 23, 2.5 * HOUR)),
      quota("Gemini", null, { ...metric("Requests", 40, 0), resets_at: null }),
    ],
    today: {
      ...{ date: "2026-03-14", totals: totals(12.4), yesterday: totals(9.8), cost_delta_pct: 26.5 },
      top_models: top("claude-opus-4", "gpt-5-codex", "gemini-2.5-pro"),
      top_clients: top("claude", "codex", "gemini"),
    },
    ...members,
  };
}

function bucket(name: string, cost: number): UsageBucket {
  const by = { first: totals(cost * 0.7), second: totals(cost * 0.3) };
  return {
    bucket: name,
    totals: totals(cost),
    by_client: { claude: by.first, codex: by.second },
    by_model: { "claude-opus-4": by.first, "gpt-5-codex": by.second },
    clients: ["claude", "codex"],
    models: ["claude-opus-4", "gpt-5-codex"],
  };
}

const two = (n: number) => String(n).padStart(2, "0");

/** A month of days with a free weekend, a morning of hours, half a year of months. */
export function usageHistory(period: string): UsageHistory {
  const buckets = {
    hourly: [7, 8, 9].map((hour, i) => bucket(`2026-03-14 ${two(hour)}:00`, 2 + i * 1.5)),
    daily: [...Array(28).keys()]
      .filter((day) => day % 7 !== 5 && day % 7 !== 6)
      .map((day) =>
        bucket(
          day < 14 ? `2026-02-${two(day + 15)}` : `2026-03-${two(day - 13)}`,
          4 + ((day * 37) % 11),
        ),
      ),
    monthly: [...Array(6).keys()].map((i) =>
      bucket(i < 3 ? `2025-${i + 10}` : `2026-0${i - 2}`, 120 + i * 34),
    ),
  };
  const known = period === "hourly" || period === "monthly" ? period : "daily";
  const { available, reason, detail, fetched_at, stale } = usageReply();
  return { available, reason, detail, fetched_at, stale, period: known, buckets: buckets[known] };
}
