import { z } from "zod";
import type {
  UsageBucket,
  UsageQuota,
  UsageReason,
  UsageShare,
  UsageToday,
  UsageTotals,
} from "../protocol/usage.ts";

/*
 * Output of the collector. Numbers may come as text, and members may be absent; a part that cannot be
 * read is left out. Null: the whole has another shape.
 */

const Name = z.string().trim().min(1);
const Words = Name.nullable().catch(null);
const Amount = z
  .union([z.number(), Name.transform(Number)])
  .pipe(z.number())
  .nullable()
  .catch(null);
const Count = Amount.transform((amount) => amount ?? 0);

/** A list without the items that do not fit. */
const listOf = <T>(item: z.ZodType<T>) =>
  z.array(z.unknown()).transform((items) =>
    items.flatMap((one) => {
      const { data, success } = item.safeParse(one);
      return success ? [data] : [];
    }),
  );
const someOf = <T>(item: z.ZodType<T>) => listOf(item).catch([]);

const Metric = z
  .object({
    label: Name,
    used_percent: Amount,
    remaining_percent: Amount,
    remaining_label: Words,
    // z.unknown() alone makes the member required.
    resets_at: z.unknown().optional(),
  })
  .transform(({ resets_at, used_percent: used, remaining_percent: left, ...metric }) => ({
    ...metric,
    used_percent: used ?? restOf(left),
    remaining_percent: left ?? restOf(used),
    resets_at: parseTime(resets_at),
    resets_at_raw: typeof resets_at === "number" ? String(resets_at) : Words.parse(resets_at),
  }));

/** More than a hundred percent may be used. */
function restOf(percent: number | null): number | null {
  return percent === null ? null : Math.max(0, 100 - percent);
}

const Quotas = listOf(
  z
    .object({ provider: Name, plan: Words, email: Words, metrics: someOf(Metric) })
    .transform(({ email, ...quota }) => ({ ...quota, account: email })),
);

export function parseQuotas(output: unknown): UsageQuota[] | null {
  return Quotas.safeParse(output).data ?? null;
}

const Tokens = z.object({
  input: Count,
  output: Count,
  cacheRead: Count,
  cacheWrite: Count,
  reasoning: Count,
});
const NO_TOKENS = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const Sums = z.object({ tokens: Amount, cost: Count, messages: Amount, messageCount: Count });
const NO_SUMS = { tokens: null, cost: 0, messages: null, messageCount: 0 };

const Share = z.object({
  ...Sums.omit({ tokens: true }).shape,
  client: Words,
  modelId: Words,
  tokens: Tokens.catch(NO_TOKENS),
});
const Graph = z.object({
  contributions: listOf(
    z.object({
      date: Name.regex(/^\d{4}-\d{2}-\d{2}$/),
      tokenBreakdown: Tokens.catch(NO_TOKENS),
      totals: Sums.catch(NO_SUMS),
      clients: someOf(Share),
    }),
  ),
});

/** Ascending days, with the usage of each client and model. */
export function parseGraph(output: unknown): UsageBucket[] | null {
  const { data } = Graph.safeParse(output);
  if (!data) return null;
  return ascending(
    data.contributions.map(({ date, tokenBreakdown, totals, clients }) => {
      const by_client: Record<string, UsageTotals> = Object.create(null);
      const by_model: Record<string, UsageTotals> = Object.create(null);
      for (const share of clients) {
        const usage = totalsOf(share.tokens, share, null);
        addTo(by_client, share.client, usage);
        addTo(by_model, share.modelId, usage);
      }
      return {
        bucket: date,
        totals: totalsOf(tokenBreakdown, totals, totals.tokens),
        by_client,
        by_model,
        clients: Object.keys(by_client).sort(),
        models: Object.keys(by_model).sort(),
      };
    }),
  );
}

const Hour = Name.regex(/^\d{4}-\d{2}-\d{2}[ T]\d{2}(:\d{2})*$/).transform(
  (hour) => `${hour.slice(0, 10)} ${hour.slice(11, 13)}:00`,
);
const ByHour = z.object({ hour: Hour }).transform(({ hour }) => ({ bucket: hour }));
const ByMonth = z
  .object({ month: Name.regex(/^\d{4}-\d{2}$/) })
  .transform(({ month }) => ({ bucket: month }));
const Entry = z.object({
  ...Tokens.shape,
  ...Sums.shape,
  clients: someOf(Name),
  models: someOf(Name),
});

/** Ascending. The collector names their clients and models without amounts. */
export const parseHours = entriesParser(ByHour);
export const parseMonths = entriesParser(ByMonth);

function entriesParser(bucket: z.ZodType<{ bucket: string }>) {
  const Entries = z.object({ entries: listOf(z.intersection(Entry, bucket)) });
  return (output: unknown): UsageBucket[] | null => {
    const { data } = Entries.safeParse(output);
    if (!data) return null;
    return ascending(
      data.entries.map(({ bucket, clients, models, ...entry }) => {
        const totals = totalsOf(entry, entry, null);
        return { bucket, totals, by_client: {}, by_model: {}, clients, models };
      }),
    );
  };
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

const KINDS = Object.keys(NO_USAGE) as (keyof UsageTotals)[];

/** Adds in place, since a long history has many shares and blocks the event loop meanwhile. */
function addTo(
  groups: Record<string, UsageTotals>,
  name: string | null,
  totals: UsageTotals,
): void {
  if (name === null) return;
  const group = (groups[name] ??= { ...NO_USAGE });
  for (const kind of KINDS) group[kind] += totals[kind];
}

/** `total` is the collector's own where it gives one, else the sum of the kinds. */
function totalsOf(
  { input, output, cacheRead, cacheWrite, reasoning }: z.infer<typeof Tokens>,
  { cost, messages, messageCount }: Omit<z.infer<typeof Sums>, "tokens">,
  total: number | null,
): UsageTotals {
  return {
    input,
    output,
    cache_read: cacheRead,
    cache_write: cacheWrite,
    reasoning,
    total: total ?? input + output + cacheRead + cacheWrite + reasoning,
    cost,
    messages: messages ?? messageCount,
  };
}

function ascending(buckets: UsageBucket[]): UsageBucket[] {
  return buckets.sort((a, b) => (a.bucket < b.bucket ? -1 : Number(a.bucket > b.bucket)));
}

/** Epoch seconds of a time in text or number; a date alone is midnight in UTC. */
export function parseTime(value: unknown): number | null {
  const epoch = Amount.parse(value);
  // Milliseconds from the year 2001 on are larger than seconds until far beyond the year 5000.
  if (epoch !== null) return epoch > 1e11 ? epoch / 1000 : epoch;
  const ms = Date.parse(Words.parse(value) ?? "");
  return Number.isNaN(ms) ? null : ms / 1000;
}

export const HISTORY_DAYS = 30;
const TOP = 3;

export interface UsagePart<T> {
  /** The last good one. */
  value: T | null;
  /** Epoch seconds of the last good value; 0 when never. */
  fetchedAt: number;
  failure: { reason: UsageReason; detail: string } | null;
}

/** Available as soon as one part has a value or none has failed. */
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
  const instant = Temporal.Instant.fromEpochMilliseconds(Math.floor(now * 1000));
  const today = instant.toZonedDateTimeISO(Temporal.Now.timeZoneId()).toPlainDate();
  return today.subtract({ days: daysBefore }).toString();
}

/** A day without a bucket has no usage; where that was yesterday, `yesterday` is null. */
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
