import { expect, test } from "bun:test";
import { DEFAULTS, parsePreferences } from "../../web/state/browser/preferences.ts";
import { waitText } from "../../web/words/common.ts";

test("a preference that is not valid falls back alone", () => {
  const stored = {
    theme: "mauve",
    wrap: false,
    terminalSize: 99,
    snippets: ["a", 1],
    keys: ["Up"],
  };
  expect(parsePreferences(JSON.stringify({ ...stored, unknown: 1 }))).toEqual({
    ...DEFAULTS,
    wrap: false,
    keys: ["Up"],
  });
  for (const text of [null, "", "nonsense", "3", "null"])
    expect(parsePreferences(text)).toEqual(DEFAULTS);
});

test.each([
  [-3, "now"],
  [4.9, "now"],
  [5, "5 s"],
  [48.7, "48 s"],
  [60, "1 min"],
  [3599, "59 min"],
  [3600, "1 h"],
  [7500, "2 h 5 min"],
  [86_399, "23 h 59 min"],
  [86_400, "1 day"],
  [200_000, "2 days"],
])("%p seconds are told as %p", (seconds, words) => {
  expect(waitText(seconds)).toBe(words);
});
