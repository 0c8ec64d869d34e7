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

describe("quotas", () => {
  test("the window is read from the label, or not known", () => {
    expect(windowSeconds("5h")).toBe(5 * 3600);
    expect(windowSeconds("Session (5 hours)")).toBe(5 * 3600);
    expect(windowSeconds("Weekly")).toBe(7 * 86_400);
    expect(windowSeconds("7-day")).toBe(7 * 86_400);
    expect(windowSeconds("Requests")).toBeNull();
  });

  test("the tick is at the part of the window that has passed", () => {
    expect(elapsedPart(metric("4 hours", 1000 + 3600), 1000)).toBe(0.75);
    expect(elapsedPart(metric("4 hours", null), 1000)).toBeNull();
    expect(elapsedPart(metric("4 hours", 900), 1000)).toBeNull();
    expect(elapsedPart(metric("4 hours", 1000 + 5 * 3600), 1000)).toBeNull();
  });

  test("pace compares what is used with what has passed", () => {
    expect(paceOf(84, 0.61)).toBe("ahead");
    expect(paceOf(58, 0.62)).toBe("on");
    expect(paceOf(23, 0.5)).toBe("below");
  });
});

describe("history", () => {
  test("empty hours, days and months are points of nothing", () => {
    const names = (period: "hourly" | "daily" | "monthly", ...buckets: string[]) =>
      pointsOf(
        period,
        buckets.map((name) => bucket(name, 1)),
      ).map((point) => (point.totals.cost === 0 ? `(${point.bucket})` : point.bucket));
    expect(names("hourly", "2026-03-14 22:00", "2026-03-15 00:00")).toEqual([
      "2026-03-14 22:00",
      "(2026-03-14 23:00)",
      "2026-03-15 00:00",
    ]);
    expect(names("daily", "2026-02-27", "2026-03-01")).toEqual([
      "2026-02-27",
      "(2026-02-28)",
      "2026-03-01",
    ]);
    expect(names("monthly", "2025-12", "2026-02")).toEqual(["2025-12", "(2026-01)", "2026-02"]);
    expect(names("daily")).toEqual([]);
  });

  test("shares are summed over buckets, the largest first", () => {
    const buckets = [bucket("2026-03-01", 3, { a: 1, b: 2 }), bucket("2026-03-02", 4, { a: 4 })];
    expect(sharesOf(buckets, "by_model", "cost")).toEqual([
      ["a", 5],
      ["b", 2],
    ]);
  });

  test("tokens are charted where no money is known", () => {
    const free = bucket("2026-03-01", 0);
    expect(measureOf([{ ...free, totals: { ...free.totals, total: 5 } }])).toBe("total");
    expect(measureOf([bucket("2026-03-01", 0.1)])).toBe("cost");
  });
});

test("browsers are named as a person calls them", () => {
  const name = (ua: string) => Object.values(browserName(ua));
  const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
  expect(
    name(
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0 Safari/537.36 Edg/140.0`,
    ),
  ).toEqual(["Edge", "Windows", false]);
  expect(
    name(`Mozilla/5.0 (Linux; Android 16; Pixel) ${webkit} Chrome/140.0 Mobile Safari/537.36`),
  ).toEqual(["Chrome", "Android", true]);
  expect(
    name(
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1",
    ),
  ).toEqual(["Safari", "iOS", true]);
  expect(name("curl/8.5.0")).toEqual([null, null, false]);
});
