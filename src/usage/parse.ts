import type { UsageBucket, UsageQuota, UsageTotals } from "../protocol/usage.ts";

/**
 * Reads what the collector prints. Numbers may come as text, members may be absent; what cannot be
 * read is left out, and null means that the whole is of another shape.
 */
export function parseQuotas(output: unknown): UsageQuota[] | null {
  if (!Array.isArray(output)) return null;
  return output.flatMap((block) => {
    const provider = text(member(block, "provider"));
    if (provider === null) return [];
    return {
      provider,
      plan: text(member(block, "plan")),
      account: text(member(block, "email")),
      metrics: list(member(block, "metrics")).flatMap(parseMetric),
    };
  });
}

function parseMetric(metric: unknown): UsageQuota["metrics"] {
  const label = text(member(metric, "label"));
  if (label === null) return [];
  const resets = member(metric, "resets_at");
  return [
    {
      label,
      used_percent: number(member(metric, "used_percent")),
      remaining_percent: number(member(metric, "remaining_percent")),
      remaining_label: text(member(metric, "remaining_label")),
      resets_at: parseTime(resets),
      resets_at_raw: text(resets) ?? (typeof resets === "number" ? String(resets) : null),
    },
  ];
}

/** Days, ascending, with what each client and model took. */
export function parseGraph(output: unknown): UsageBucket[] | null {
  const contributions = member(output, "contributions");
  if (!Array.isArray(contributions)) return null;
  return ascending(
    contributions.flatMap((day) => {
      const bucket = /^\d{4}-\d{2}-\d{2}$/.exec(text(member(day, "date")) ?? "")?.[0];
      if (!bucket) return [];
      const by_client: Record<string, UsageTotals> = Object.create(null);
      const by_model: Record<string, UsageTotals> = Object.create(null);
      for (const share of list(member(day, "clients"))) {
        const totals = totalsOf(member(share, "tokens"), share, null);
        addTo(by_client, text(member(share, "client")), totals);
        addTo(by_model, text(member(share, "modelId")), totals);
      }
      return {
        bucket,
        totals: totalsOf(
          member(day, "tokenBreakdown"),
          member(day, "totals"),
          number(member(member(day, "totals"), "tokens")),
        ),
        by_client,
        by_model,
        clients: Object.keys(by_client).sort(),
        models: Object.keys(by_model).sort(),
      };
    }),
  );
}

/** Hours or months, ascending. The collector names their clients and models without amounts. */
export function parseEntries(output: unknown, period: "hourly" | "monthly"): UsageBucket[] | null {
  const entries = member(output, "entries");
  if (!Array.isArray(entries)) return null;
  return ascending(
    entries.flatMap((entry) => {
      const bucket = period === "hourly" ? hourOf(entry) : monthOf(entry);
      if (bucket === null) return [];
      return {
        bucket,
        totals: totalsOf(entry, entry, null),
        by_client: {},
        by_model: {},
        clients: texts(member(entry, "clients")),
        models: texts(member(entry, "models")),
      };
    }),
  );
}

export const NO_USAGE: Readonly<UsageTotals> = {
  input: 0,
  output: 0,
  cache_read: 0,
  cache_write: 0,
  reasoning: 0,
  total: 0,
  cost: 0,
  messages: 0,
};

/** In place: a long past has many shares, and passes wait for this. */
function addTo(
  groups: Record<string, UsageTotals>,
  name: string | null,
  totals: UsageTotals,
): void {
  if (name === null) return;
  const group = (groups[name] ??= { ...NO_USAGE });
  group.input += totals.input;
  group.output += totals.output;
  group.cache_read += totals.cache_read;
  group.cache_write += totals.cache_write;
  group.reasoning += totals.reasoning;
  group.total += totals.total;
  group.cost += totals.cost;
  group.messages += totals.messages;
}

function hourOf(entry: unknown): string | null {
  const hour = text(member(entry, "hour")) ?? "";
  const [, day, at] = /^(\d{4}-\d{2}-\d{2})[ T](\d{2})(?::\d{2})*$/.exec(hour) ?? [];
  return day && at ? `${day} ${at}:00` : null;
}

function monthOf(entry: unknown): string | null {
  return /^\d{4}-\d{2}$/.exec(text(member(entry, "month")) ?? "")?.[0] ?? null;
}

/** `total` is the collector's own where it gives one, else the sum of the kinds. */
function totalsOf(tokens: unknown, rest: unknown, total: number | null): UsageTotals {
  const input = amount(tokens, "input");
  const output = amount(tokens, "output");
  const cache_read = amount(tokens, "cacheRead");
  const cache_write = amount(tokens, "cacheWrite");
  const reasoning = amount(tokens, "reasoning");
  return {
    input,
    output,
    cache_read,
    cache_write,
    reasoning,
    total: total ?? input + output + cache_read + cache_write + reasoning,
    cost: amount(rest, "cost"),
    messages: number(member(rest, "messages")) ?? amount(rest, "messageCount"),
  };
}

function amount(of: unknown, key: string): number {
  return number(member(of, key)) ?? 0;
}

function ascending(buckets: UsageBucket[]): UsageBucket[] {
  return buckets.sort((a, b) => (a.bucket < b.bucket ? -1 : Number(a.bucket > b.bucket)));
}

/** Epoch seconds of a time in text or number; a date alone is midnight in UTC. */
export function parseTime(value: unknown): number | null {
  const epoch = number(value);
  // Milliseconds from the year 2001 on are larger than seconds until far beyond the year 5000.
  if (epoch !== null) return epoch > 1e11 ? epoch / 1000 : epoch;
  const time = text(value);
  const ms = time === null ? Number.NaN : Date.parse(time);
  return Number.isNaN(ms) ? null : ms / 1000;
}

function number(value: unknown): number | null {
  if (typeof value !== "number" && typeof value !== "string") return null;
  if (typeof value === "string" && value.trim() === "") return null;
  const result = Number(value);
  return Number.isFinite(result) ? result : null;
}

function text(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

function texts(value: unknown): string[] {
  return list(value).flatMap((item) => text(item) ?? []);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
