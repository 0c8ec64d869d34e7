import type { UsageQuota } from "../protocol/usage.ts";

const AGAIN_SECONDS = 3600;

/** Follows what is left of each metric. */
export class QuotaWatch {
  /** Percent, as it was seen last. */
  readonly #remaining = new Map<string, number>();
  /** Monotonic seconds. */
  readonly #alertedAt = new Map<string, number>();

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
        const before = this.#remaining.get(name) ?? -Infinity;
        this.#remaining.set(name, remaining_percent);
        const hasCrossed = before >= threshold && remaining_percent < threshold;
        const isAgain = at - (this.#alertedAt.get(name) ?? -Infinity) < AGAIN_SECONDS;
        if (!hasCrossed || isAgain) continue;
        this.#alertedAt.set(name, at);
        isDue = true;
      }
    return isDue;
  }
}
