import { z } from "zod";

export const UsageTotals = z.object({
  input: z.number(),
  output: z.number(),
  cache_read: z.number(),
  cache_write: z.number(),
  reasoning: z.number(),
  total: z.number(),
  /** US dollars. */
  cost: z.number(),
  messages: z.number(),
});
export type UsageTotals = z.infer<typeof UsageTotals>;

export const UsageQuota = z.object({
  provider: z.string(),
  plan: z.string().nullable(),
  account: z.string().nullable(),
  metrics: z.array(
    z.object({
      label: z.string(),
      used_percent: z.number().nullable(),
      remaining_percent: z.number().nullable(),
      remaining_label: z.string().nullable(),
      /** Epoch seconds. */
      resets_at: z.number().nullable(),
      resets_at_raw: z.string().nullable(),
    }),
  ),
});
export type UsageQuota = z.infer<typeof UsageQuota>;

export const UsageShare = z.object({ name: z.string(), totals: UsageTotals });
export type UsageShare = z.infer<typeof UsageShare>;

export const UsageToday = z.object({
  date: z.string(),
  totals: UsageTotals,
  yesterday: UsageTotals.nullable(),
  cost_delta_pct: z.number().nullable(),
  top_models: z.array(UsageShare),
  top_clients: z.array(UsageShare),
});
export type UsageToday = z.infer<typeof UsageToday>;

export const UsageReason = z.enum(["disabled", "not_installed", "timeout", "error"]);
export type UsageReason = z.infer<typeof UsageReason>;

const availability = {
  available: z.boolean(),
  reason: UsageReason.nullable(),
  detail: z.string().nullable(),
  /** Epoch seconds; 0 when never. */
  fetched_at: z.number(),
  stale: z.boolean(),
};

export const UsageReply = z.object({
  ...availability,
  quotas: z.array(UsageQuota),
  today: UsageToday.nullable(),
});
export type UsageReply = z.infer<typeof UsageReply>;

export const UsagePeriod = z.enum(["hourly", "daily", "monthly"]);
export type UsagePeriod = z.infer<typeof UsagePeriod>;

export const UsageBucket = z.object({
  /** `YYYY-MM-DD HH:00`, `YYYY-MM-DD` or `YYYY-MM`. */
  bucket: z.string(),
  totals: UsageTotals,
  by_client: z.record(z.string(), UsageTotals),
  by_model: z.record(z.string(), UsageTotals),
  clients: z.array(z.string()),
  models: z.array(z.string()),
});
export type UsageBucket = z.infer<typeof UsageBucket>;

export const UsageHistory = z.object({
  ...availability,
  period: UsagePeriod,
  buckets: z.array(UsageBucket),
});
export type UsageHistory = z.infer<typeof UsageHistory>;

export const UsageScope = z.enum(["quota", "reports", "all"]);
export type UsageScope = z.infer<typeof UsageScope>;

/** The handler refuses an unknown period by its name. */
export const UsageHistoryQuery = z.object({
  period: z.string().default(""),
  /** For `daily` alone; absent: all days. */
  days: z
    .string()
    .regex(/^-?\d+$/, "expected an integer")
    .transform(Number)
    .optional(),
});
