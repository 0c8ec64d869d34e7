import type { UsageQuota } from "../protocol/usage.ts";

const AGAIN_SECONDS = 3600;

/** Follows what is left of each metric. */
export class QuotaWatch {
  /** Percent as it was seen last, and when it was alerted (monotonic seconds). */
  readonly #seen = new Map<string, { remaining: number; alertedAt: number }>();

  /**
   * Whether a metric has crossed the threshold downwards since it was last seen: once per metric and
   * hour, and never on its first observation.
   */
  see(
    quotas: readonly UsageQuota[],
    { threshold, at }: { threshold: number; at: number },
  ): boolean {
    let isDue = false;
    for (const { provider, account, metrics } of quotas)
      for (const { label, remaining_percent } of metrics) {
        if (remaining_percent === null) continue;
        const name = JSON.stringify([provider, account, label]);
        const before = this.#seen.get(name) ?? { remaining: -Infinity, alertedAt: -Infinity };
        const hasCrossed = before.remaining >= threshold && remaining_percent < threshold;
        const isAlerted = hasCrossed && at - before.alertedAt >= AGAIN_SECONDS;
        const alertedAt = isAlerted ? at : before.alertedAt;
        this.#seen.set(name, { remaining: remaining_percent, alertedAt });
        isDue ||= isAlerted;
      }
    return isDue;
  }
}
