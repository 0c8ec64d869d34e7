import { describe, expect, test } from "bun:test";
import { browserName } from "../../web/model/browser-name.ts";
import {
  elapsedPart,
  measureOf,
  paceOf,
  pointsOf,
  sharesOf,
  windowSeconds,
} from "../../web/model/usage.ts";
import { totals } from "../support/fixture-usage.ts";

const metric = (label: string, resets_at: number | null) => ({
  label,
  used_percent: null,
  remaining_percent: 30,
  remaining_label: null,
  resets_at,
  resets_at_raw: null,
});

const bucket = (name: string, cost: number, by: Record<string, number> = {}) => ({
  bucket: name,
  totals: totals(cost),
  by_client: {},
  by_model: Object.fromEntries(Object.entries(by).map(([model, c]) => [model, totals(c)])),
  clients: [],
  models: [],
});

describe("a usage quota", () => {
  test.each([
    ["5h", 5 * 3600],
    ["Session (5 hours)", 5 * 3600],
    ["Weekly", 7 * 86_400],
    ["7-day", 7 * 86_400],
    ["Requests", null],
  ])("with the label %j has a window of %p seconds", (label, seconds) => {
    expect(windowSeconds(label)).toBe(seconds);
  });

  test("has its tick at the elapsed part of its window, and a pace by that part", () => {
    const ends = [1000 + 3600, null, 900, 1000 + 5 * 3600];
    const parts = ends.map((resets_at) => elapsedPart(metric("4 hours", resets_at), 1000));
    expect(parts).toEqual([0.75, null, null, null]);
    expect([paceOf(84, 0.61), paceOf(58, 0.62), paceOf(23, 0.5)]).toEqual(["ahead", "on", "below"]);
  });
});

describe("a usage history", () => {
  test("fills empty hours, days and months with zero", () => {
    const names = (period: "hourly" | "daily" | "monthly", ...buckets: string[]) =>
      pointsOf(
        period,
        buckets.map((name) => bucket(name, 1)),
      ).map((point) => (point.totals.cost === 0 ? `(${point.bucket})` : point.bucket));
    const hours = ["2026-03-14 22:00", "2026-03-15 00:00"] as const;
    expect(names("hourly", ...hours)).toEqual([hours[0], "(2026-03-14 23:00)", hours[1]]);
    const days = ["2026-02-27", "2026-03-01"] as const;
    expect(names("daily", ...days)).toEqual([days[0], "(2026-02-28)", days[1]]);
    expect(names("monthly", "2025-12", "2026-02")).toEqual(["2025-12", "(2026-01)", "2026-02"]);
    expect(names("daily")).toEqual([]);
  });

  test("has the shares of its buckets summed, the largest first", () => {
    const buckets = [bucket("2026-03-01", 3, { a: 1, b: 2 }), bucket("2026-03-02", 4, { a: 4 })];
    expect(sharesOf(buckets, "by_model", "cost")).toEqual([
      ["a", 5],
      ["b", 2],
    ]);
  });

  test("is in tokens where no cost is known", () => {
    const free = bucket("2026-03-01", 0);
    expect(measureOf([{ ...free, totals: { ...free.totals, total: 5 } }])).toBe("total");
    expect(measureOf([bucket("2026-03-01", 0.1)])).toBe("cost");
  });
});

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0";
const IPHONE = "(iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1";

test.each([
  [`(Windows NT 10.0; Win64; x64) ${WEBKIT} Safari/537.36 Edg/140.0`, "Edge", "Windows", false],
  [`(Linux; Android 16; Pixel) ${WEBKIT} Mobile Safari/537.36`, "Chrome", "Android", true],
  [IPHONE, "Safari", "iOS", true],
  ["curl/8.5.0", null, null, false],
])("the user agent %s is named by browser and system", (userAgent, browser, system, isPhone) => {
  expect(browserName(userAgent)).toEqual({ browser, system, isPhone });
});
