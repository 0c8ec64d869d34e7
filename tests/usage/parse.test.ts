import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { UsageBucket, UsageQuota, type UsageTotals } from "../../src/protocol/usage.ts";
import {
  NO_USAGE,
  parseGraph,
  parseHours,
  parseMonths,
  parseQuotas,
  parseTime,
} from "../../src/usage/summary.ts";
import { forAll } from "../support/laws.ts";

const recorded = (name: string): Promise<unknown> =>
  Bun.file(join(import.meta.dir, "../fixtures/usage/tokscale-4.17.0", `${name}.json`)).json();
const totals = (part: Partial<UsageTotals>): UsageTotals => ({ ...NO_USAGE, ...part });

describe("a recorded report", () => {
  test("of days has totals for each client and each model", async () => {
    const [yesterday, today, ...rest] = parseGraph(await recorded("graph")) ?? [];
    expect(rest).toEqual([]);
    expect(yesterday).toMatchObject({ bucket: "2026-11-20", clients: ["claude"] });
    const codex = totals({
      input: 600,
      output: 50,
      cache_read: 300,
      reasoning: 20,
      total: 970,
      messages: 1,
    });
    expect(today).toMatchObject({
      bucket: "2026-11-21",
      totals: { total: 2260, messages: 3, reasoning: 20 },
      by_client: { codex },
      by_model: { "gpt-5-codex": codex },
      clients: ["claude", "codex"],
      models: ["claude-sonnet-4-5", "gpt-5-codex"],
    });
    expect(today?.totals.cost).toBeCloseTo(0.003315, 9);
  });

  test("of hours and of months has totals, without amounts for each client", async () => {
    expect(parseHours(await recorded("hourly"))).toMatchObject([
      { bucket: "2026-11-21 06:00", totals: { total: 580, messages: 1 }, clients: ["claude"] },
      {
        bucket: "2026-11-21 07:00",
        totals: { input: 800, output: 130, cache_read: 700, cache_write: 30, total: 1660 },
        by_client: {},
        clients: ["claude", "codex"],
      },
    ]);
    expect(parseMonths(await recorded("monthly"))).toMatchObject([
      { bucket: "2026-11", totals: { total: 4190, messages: 4 }, clients: [] },
    ]);
  });
});

describe("a quota", () => {
  test("is read with numbers as text, and without metrics or providers that have no name", () => {
    const metric = { label: "Session", used_percent: "12.5", remaining_percent: 87.5 };
    expect(
      parseQuotas([
        {
          provider: "Claude",
          plan: "Max",
          email: "me@example.org",
          metrics: [
            { ...metric, resets_at: "2026-11-22" },
            { label: "Week", remaining_label: "3 left", resets_at: 1_763_000_000 },
            { used_percent: 3 },
            null,
          ],
        },
        { plan: "no provider" },
        "text",
      ]),
    ).toEqual([
      {
        provider: "Claude",
        plan: "Max",
        account: "me@example.org",
        metrics: [
          {
            label: "Session",
            used_percent: 12.5,
            remaining_percent: 87.5,
            remaining_label: null,
            resets_at: Date.UTC(2026, 10, 22) / 1000,
            resets_at_raw: "2026-11-22",
          },
          {
            label: "Week",
            used_percent: null,
            remaining_percent: null,
            remaining_label: "3 left",
            resets_at: 1_763_000_000,
            resets_at_raw: "1763000000",
          },
        ],
      },
    ]);
  });

  test("has its remaining percentage computed from the used one, and the other way", () => {
    const metrics = [
      { label: "5h", used_percent: 58 },
      { label: "Week", remaining_percent: 30 },
      { label: "Extra", used_percent: 104 },
    ];
    const [quota] = parseQuotas([{ provider: "Claude", metrics }]) ?? [];
    expect(quota?.metrics).toMatchObject([
      { used_percent: 58, remaining_percent: 42 },
      { used_percent: 70, remaining_percent: 30 },
      { used_percent: 104, remaining_percent: 0 },
    ]);
  });

  test.each<[unknown, number | null]>([
    ["2026-11-22T01:00:00Z", Date.UTC(2026, 10, 22, 1) / 1000],
    ["2026-11-22T01:00:00+01:00", Date.UTC(2026, 10, 22) / 1000],
    ["1763000000", 1_763_000_000],
    [1_763_000_000_000, 1_763_000_000],
    ["in 3 hours", null],
    ["", null],
    [null, null],
    [{}, null],
  ])("with the reset %p resets at %p", (value, seconds) => expect(parseTime(value)).toBe(seconds));
});

describe("an unexpected report", () => {
  test.each([null, 1, "x", {}, { quotas: [] }, { entries: {} }, { contributions: 1 }])(
    "of the shape %p is refused",
    (output) => {
      expect(parseQuotas(output)).toBeNull();
      expect(parseGraph(output)).toBeNull();
      expect(parseMonths(output)).toBeNull();
    },
  );

  const keys = ["provider", "label", "metrics", "date", "clients", "client", "modelId", "tokens"];
  const more = ["entries", "contributions", "hour", "month", "models", "totals", "input", "cost"];
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("2026-11-21", "2026-11-21 07:00", "2026-11", "12", "__proto__", -1, 1e308),
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie("any"), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...keys, ...more), tie("any"), { maxKeys: 6 }),
    ),
  })).any;

  test("of any shape is read without a failure, and its result fits the contract", () => {
    forAll([value], (output) => {
      for (const quota of parseQuotas([output]) ?? []) UsageQuota.strict().parse(quota);
      for (const bucket of [
        ...(parseGraph({ contributions: [output] }) ?? []),
        ...(parseHours({ entries: [output] }) ?? []),
        ...(parseMonths({ entries: [output] }) ?? []),
      ])
        UsageBucket.strict().parse(bucket);
    });
  });
});

test("buckets are in ascending order, with labels of one form", () => {
  const entries = ["2026-11-21T08:00:00", "2026-11-21 07:30", "yesterday", "2026-11-21 10"];
  expect(
    parseHours({ entries: entries.map((hour) => ({ hour })) })?.map(({ bucket }) => bucket),
  ).toEqual(["2026-11-21 07:00", "2026-11-21 08:00", "2026-11-21 10:00"]);
});
