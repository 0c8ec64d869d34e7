import type { UsageQuota } from "../protocol/usage.ts";

/** Remaining percent of each metric, and when it last alerted (monotonic seconds). */
interface QuotaPast {
  readonly remaining: ReadonlyMap<string, number>;
  readonly alertedAt: ReadonlyMap<string, number>;
}

export const NO_QUOTA_PAST: QuotaPast = { remaining: new Map(), alertedAt: new Map() };

const AGAIN_SECONDS = 3600;

/**
 * Whether a metric has crossed the threshold downwards since it was last seen: once per metric and
 * hour, and never on its first observation.
 */
export function watchQuotas(
  past: QuotaPast,
  quotas: readonly UsageQuota[],
  { threshold, at }: { threshold: number; at: number },
): { past: QuotaPast; isDue: boolean } {
  const remaining = new Map(past.remaining);
  const alertedAt = new Map(past.alertedAt);
  let isDue = false;
  for (const { provider, account, metrics } of quotas)
    for (const { label, remaining_percent } of metrics) {
      if (remaining_percent === null) continue;
      const name = JSON.stringify([provider, account, label]);
      const before = remaining.get(name);
      remaining.set(name, remaining_percent);
      const hasCrossed =
        before !== undefined && before >= threshold && remaining_percent < threshold;
      if (!hasCrossed || at - (alertedAt.get(name) ?? -Infinity) < AGAIN_SECONDS) continue;
      alertedAt.set(name, at);
      isDue = true;
    }
  return { past: { remaining, alertedAt }, isDue };
}
