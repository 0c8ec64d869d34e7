import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { detectLimit, isContinuing, parseReset } from "../../src/detect/limit.ts";
import { forAll } from "../support/laws.ts";

const epoch = (iso: string) => Date.parse(iso) / 1000;
const read = (text: string, at: string, zone = "UTC") => {
  const reset = parseReset(text, { at: epoch(at), zone });
  return reset === null ? null : new Date(reset * 1000).toISOString().replace(":00.000", "");
};

describe("the time of a reset", () => {
  test.each([
    [
      "You've hit your 5-hour limit · resets 1am (UTC)",
      "2026-11-23T22:10:00Z",
      "2026-11-24T01:00Z",
    ],
    ["You've hit your 5-hour limit · resets 1:30am", "2026-11-23T22:10:00Z", "2026-11-24T01:30Z"],
    ["usage limit reached · resets 15:00", "2026-11-23T14:59:00Z", "2026-11-23T15:00Z"],
    ["usage limit reached · resets 12am", "2026-11-23T14:59:00Z", "2026-11-24T00:00Z"],
    ["usage limit reached · resets 12pm", "2026-11-23T09:00:00Z", "2026-11-23T12:00Z"],
    ["limit reached · limit resets Nov 25, 9am", "2026-11-23T09:00:00Z", "2026-11-25T09:00Z"],
    ["weekly limit · resets Jan 2, 9am (UTC)", "2026-12-30T09:00:00Z", "2027-01-02T09:00Z"],
    ["weekly limit · resets Dec 31, 9am (UTC)", "2027-01-01T09:00:00Z", "2026-12-31T09:00Z"],
    ["weekly limit reached ∙ resets Oct 9 at 10am", "2026-10-05T09:00:00Z", "2026-10-09T10:00Z"],
    ["reached · set to continue automatically at 1am", "2026-11-23T22:00:00Z", "2026-11-24T01:00Z"],
    ["or try again at 3:05 PM.", "2026-11-23T13:00:00Z", "2026-11-23T15:05Z"],
    ["or try again at Nov 25th, 2026 9:07 AM.", "2026-11-23T13:00:00Z", "2026-11-25T09:07Z"],
    ["or try again in 2 days 3 hours 5 minutes.", "2026-11-23T13:00:00Z", "2026-11-25T16:05Z"],
    ["Your quota will reset after 2h13m5s.", "2026-11-23T13:00:00Z", "2026-11-23T15:13:05.000Z"],
    ["Claude AI usage limit reached|1795429200", "2026-11-23T08:00:00Z", "2026-11-23T10:20Z"],
    ["resets in 2h 13m", "2026-11-23T13:00:00Z", "2026-11-23T15:13Z"],
    ["resets in 1 day and 2 hours", "2026-11-23T13:00:00Z", "2026-11-24T15:00Z"],
  ])("of %s, read at %s, is %s", (text, at, reset) => {
    expect(read(text, at)).toBe(reset);
  });

  test("is in the zone that it names, or in this machine's", () => {
    const at = "2026-07-01T10:00:00Z";
    expect(read("usage limit · resets 3pm (Europe/Berlin)", at)).toBe("2026-07-01T13:00Z");
    expect(read("usage limit · resets 3pm", at, "America/Los_Angeles")).toBe("2026-07-01T22:00Z");
    expect(read("usage limit · resets 4pm", at, "Asia/Kolkata")).toBe("2026-07-01T10:30Z");
    expect(read("usage limit · resets 3pm (Nowhere/Else)", at)).toBe(null);
    // The clocks are set back on that day.
    const winter = "2026-10-25T00:30:00Z";
    expect(read("usage limit · resets 9am (Europe/Berlin)", winter)).toBe("2026-10-25T08:00Z");
    const twice = "usage limit · resets 2:30am (Europe/Berlin)";
    expect(read(twice, "2026-10-24T22:00:00Z")).toBe("2026-10-25T01:30Z");
  });

  test("may have passed where the limit is too short for the next day", () => {
    const text = "You've hit your 5-hour limit · resets 1am (UTC)";
    expect(read(text, "2026-11-24T03:00:00Z")).toBe("2026-11-24T01:00Z");
    expect(read("Usage limit reached · limit resets 1am", "2026-11-24T09:00:00Z")).toBe(
      "2026-11-25T01:00Z",
    );
  });

  test.each([
    ["You've hit your limit · resets 3pm (UTC)", "2026-11-23T15:05:00Z", "2026-11-23T15:00Z"],
    ["Usage limit reached · limit resets 10:20am", "2026-11-23T10:20:30Z", "2026-11-23T10:20Z"],
    ["session limit · resets 7pm", "2026-11-23T23:30:00Z", "2026-11-23T19:00Z"],
    ["weekly limit · resets 3pm", "2026-11-23T15:05:00Z", "2026-11-23T15:00Z"],
    // Shown a day before the limit ends.
    ["weekly limit · resets 3pm", "2026-11-23T16:00:00Z", "2026-11-24T15:00Z"],
  ])("may have passed a while before it is read: %s, at %s: %s", (text, at, reset) => {
    expect(read(text, at)).toBe(reset);
  });

  test.each([
    "Daily limit reached → the limiter resets in 999999999999 days.",
    `usage limit · resets in ${"9".repeat(400)} days`,
    "usage limit · resets in 367 days",
    "usage limit · resets Jan 1, 9999, 9am",
    "usage limit · resets Jan 1, 1971, 9am",
    "Claude AI usage limit reached|9999999999",
  ])("is unknown where it is further than a year away: %s", (text) => {
    expect(read(text, "2026-11-23T13:00:00Z")).toBe(null);
  });

  test.each([
    "Upgrade to Pro or try again later.",
    "resets 3",
    "resets 25:00",
    "resets 13pm",
    "resets Foo 3, 9am",
    "resets",
  ])("is unknown from %s", (text) => {
    expect(read(text, "2026-11-23T13:00:00Z")).toBe(null);
  });

  test("that is a time of day lies at most eighteen hours ahead or about six behind", () => {
    const zone = fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns");
    const minutes = fc.integer({ min: 0, max: 1439 });
    const at = fc.integer({ min: 1_700_000_000, max: 1_900_000_000 });
    forAll([zone, minutes, at], (zone, minute, at) => {
      const clock = `${Math.floor(minute / 60)}:${`${minute % 60}`.padStart(2, "0")}`;
      const reset = parseReset(`usage limit, resets ${clock}`, { at, zone });
      // A day on which clocks are set is an hour longer or shorter.
      expect(reset).toBeGreaterThan(at - 7 * 3600 - 1);
      expect(reset).toBeLessThanOrEqual(at + 18 * 3600);
    });
  });
});

describe("a limit", () => {
  test.each([
    [["  ⎿  You've hit your 5-hour limit · resets 1am (UTC)"], "5-hour limit"],
    [["  ⎿  You've hit your weekly limit · resets Nov 25,", "     9am (UTC)"], "weekly limit"],
    [["  ⚠ Usage limit reached · limit resets 1am", "    Continuing at 1am"], "usage limit"],
    [["■ You’ve hit your usage limit. Upgrade to Pro", "or try again later."], "usage limit"],
    [["● Usage limit reached · set to continue ", "automatically at 1am"], "usage limit"],
    [["  ⚠ Weekly limit reached", "    Continuing at 1am"], "weekly limit"],
    [["● Claude usage limit reached. Your limit will reset at 3pm"], "usage limit"],
    [["  ⎿  You've reached your Opus weekly limit"], "weekly limit"],
    [["  ⎿  You've hit your Opus limit · resets Nov 26, 7:32pm (UTC)"], "Opus limit"],
    [["  ⎿  You've hit your Sonnet limit · resets 1:16am (UTC)"], "Sonnet limit"],
    [["  ⎿  You've hit your usage credit limit"], "usage credit limit"],
    [["  ⎿  You've hit your monthly spend limit"], "monthly spend limit"],
  ])("is named from %p", (evidence, name) => {
    expect(detectLimit(evidence)?.name).toBe(name);
  });

  test.each([
    "■ exceeded retry limit, last status: 429 Too Many Requests",
    "● Context limit reached · /compact or /clear to continue",
    "● You've hit your context limit",
    "● You've exceeded your retry limit",
    "  ⎿  API Error: 529 overloaded",
    "● The weekly limit reached us all",
    "✗ 402 You have exceeded your premium request allowance",
    "",
  ])("is not found in %p", (line) => {
    expect(detectLimit([line])).toBe(null);
  });
});

const notice = "  ⎿  You've hit your 5-hour limit · resets 9:17pm (UTC)";
const note = "● Usage limit reached · continuing automatically at 9:17pm · esc to cancel";
const cancelled = "● Automatic continue cancelled · /rate-limit-options to re-arm";

test("the last note below a limit's notice says whether the program continues by itself", () => {
  expect(isContinuing([notice, "", note], notice)).toBe(true);
  expect(isContinuing([notice, "", note, "", cancelled], notice)).toBe(false);
  expect(isContinuing([notice, "", note, "", cancelled, "", note], notice)).toBe(true);
  const cut = ["● Usage limit reached · set to continue", "  automatically at 9:17pm"];
  expect(isContinuing([notice, ...cut], notice)).toBe(true);
  expect(isContinuing([notice], notice)).toBe(false);
  expect(isContinuing([notice, "❯ it was continuing automatically"], notice)).toBe(false);
  // A note above the notice belongs to the limit before.
  expect(isContinuing([note, notice], notice)).toBe(false);
});
