import { expect, test } from "bun:test";
import fc from "fast-check";
import { preferencesWith } from "../../src/push/device.ts";
import { quietEnd } from "../../src/push/hold.ts";
import { forAll } from "../support/laws.ts";

const seconds = (iso: string) => Date.parse(iso) / 1000;
const night = { start: "22:00", end: "07:00", time_zone: "Europe/Berlin", urgent: true };

test.each(["apns", "web", "ntfy"] as const)(
  "by default %s is alerted for prompts, quotas and digests, and for errors where they are on",
  (kind) => {
    const { reasons } = preferencesWith(kind, { onError: false });
    expect(reasons).toEqual(["needs_input", "quota", "review"]);
    expect(preferencesWith(kind, { onError: true }).reasons).toContain("error");
    const chosen = preferencesWith(kind, { onError: false }, { reasons: ["finished", "error"] });
    expect(chosen.reasons).toEqual(["finished", "error"]);
  },
);

test("quiet hours may go over midnight, in their own time zone", () => {
  expect(quietEnd(night, seconds("2026-01-05T20:59:59Z"))).toBeNull();
  expect(quietEnd(night, seconds("2026-01-05T21:00:00Z"))).toBe(seconds("2026-01-06T06:00:00Z"));
  expect(quietEnd(night, seconds("2026-01-06T05:59:59Z"))).toBe(seconds("2026-01-06T06:00:00Z"));
  expect(quietEnd(night, seconds("2026-01-06T06:00:00Z"))).toBeNull();
});

test("quiet hours end at the same wall time in a night in which the clocks change", () => {
  expect(quietEnd(night, seconds("2026-03-28T22:00:00Z"))).toBe(seconds("2026-03-29T05:00:00Z"));
  expect(quietEnd(night, seconds("2026-10-24T21:00:00Z"))).toBe(seconds("2026-10-25T06:00:00Z"));
});

test("quiet hours with equal start and end are none", () => {
  expect(quietEnd({ ...night, end: "22:00" }, seconds("2026-01-05T22:00:00Z"))).toBeNull();
  expect(quietEnd(null, 0)).toBeNull();
});

test("law: the end of quiet hours is ahead, and within a day and an hour", () => {
  const two = (value: number) => String(value).padStart(2, "0");
  const wall = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map(([hour, minute]) => `${two(hour)}:${two(minute)}`);
  const zone = fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe");
  const from = seconds("2026-01-01T00:00:00Z");
  const at = fc.integer({ min: from, max: from + 365 * 86_400 });
  forAll([wall, wall, zone, at], 300, (start, end, time_zone, now) => {
    const until = quietEnd({ start, end, time_zone, urgent: false }, now);
    if (until === null) return;
    expect(until).toBeGreaterThan(now);
    expect(until - now).toBeLessThanOrEqual(25 * 3600);
  });
});
