import { describe, expect, test } from "bun:test";
import { UsageBucket, type UsageTotals } from "../../src/protocol/usage.ts";
import {
  availability,
  lastDays,
  localDate,
  NO_USAGE,
  todayOf,
  type UsagePart,
} from "../../src/usage/summary.ts";
import { fixture } from "../support/fixture.ts";

const noon = new Date(2026, 10, 21, 12).getTime() / 1000;
const cost = (amount: number, total = 0): UsageTotals => ({ ...NO_USAGE, cost: amount, total });
const day = (bucket: string, totals: UsageTotals, by: Record<string, UsageTotals> = {}) => {
  const names = Object.keys(by);
  const whose = { by_client: by, by_model: by, clients: names, models: names };
  return fixture(UsageBucket, { bucket, totals, ...whose });
};

test("a local date goes back whole days, also over the change of the clocks", () => {
  for (let back = 0; back < 400; back += 1) {
    const date = new Date(2026, 10, 21 - back);
    const [year, month, dayOfMonth] = localDate(noon, back).split("-").map(Number);
    expect([year, month, dayOfMonth]).toEqual([
      date.getFullYear(),
      date.getMonth() + 1,
      date.getDate(),
    ]);
  }
  expect(localDate(new Date(2026, 0, 1, 0, 1).getTime() / 1000, 1)).toBe("2025-12-31");
});

describe("the summary of today", () => {
  test("is compared with yesterday, and names the three models and clients that cost most", () => {
    const by = { a: cost(1), b: cost(3), c: cost(0, 9), d: cost(0, 8) };
    const today = todayOf([day("2026-11-20", cost(2)), day("2026-11-21", cost(3), by)], noon);
    expect(today).toMatchObject({
      date: "2026-11-21",
      totals: cost(3),
      yesterday: cost(2),
      cost_delta_pct: 50,
    });
    expect(today.top_models.map(({ name }) => name)).toEqual(["b", "a", "c"]);
    expect(today.top_clients).toEqual(today.top_models);
  });

  test("has no usage and no comparison without buckets", () => {
    expect(todayOf([], noon)).toMatchObject({
      totals: NO_USAGE,
      yesterday: null,
      cost_delta_pct: null,
    });
    expect(todayOf([day("2026-11-20", cost(0))], noon).cost_delta_pct).toBeNull();
  });
});

test("the last days include today", () => {
  const days = ["2026-11-18", "2026-11-20", "2026-11-21"].map((date) => day(date, cost(1)));
  expect(lastDays(days, 1, noon)).toEqual(days.slice(2));
  expect(lastDays(days, 3, noon)).toEqual(days.slice(1));
  expect(lastDays(days, 4, noon)).toEqual(days);
});

test("the reply is as old as its oldest part, and stale where any part is", () => {
  const part = (fetchedAt: number, failure: UsagePart<unknown>["failure"] = null) => ({
    ...{ value: [], fetchedAt, failure },
  });
  const failure = { reason: "timeout", detail: "late" } as const;
  expect(availability(true, [{ ...part(0), value: null }])).toMatchObject({
    ...{ available: true, reason: null, fetched_at: 0, stale: false },
  });
  expect(availability(true, [part(50), part(40)])).toMatchObject({ fetched_at: 40, stale: false });
  expect(availability(true, [part(50), part(60, failure)])).toMatchObject({
    ...{ available: true, reason: "timeout", fetched_at: 50, stale: true },
  });
});
