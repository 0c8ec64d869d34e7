import { expect, test } from "bun:test";
import { DEFAULTS, parsePreferences } from "../../web/state/browser/preferences.ts";
import { Waits } from "../../web/state/server/waits.ts";
import { waitText } from "../../web/words/common.ts";
import { MemoryStorage } from "../support/memory-storage.ts";
import { pane } from "../support/pane.ts";

const asking = (question: string, updated: number, prompt_since: number | null = null) =>
  pane({ id: "a", status: "needs_input", question, updated, prompt_since });

test("the server's word of how long a prompt waits counts", () => {
  const waits = new Waits(new MemoryStorage());
  waits.learn([asking("Go?", 500, 100)], 600);
  expect(waits.since(asking("Go?", 500, 100))).toBe(100);
});

test("without it a prompt of the first load waits since its last output, later ones since they were seen", () => {
  const memory = new MemoryStorage();
  const waits = new Waits(memory);
  waits.learn([asking("Go?", 500)], 600);
  expect(waits.since(asking("Go?", 500))).toBe(500);
  // More output of the same prompt is no new wait; another prompt is.
  waits.learn([asking("Go?", 650)], 700);
  expect(waits.since(asking("Go?", 650))).toBe(500);
  waits.learn([asking("Stop?", 750)], 800);
  expect(waits.since(asking("Stop?", 750))).toBe(800);

  // A reload goes on counting.
  const reloaded = new Waits(memory);
  reloaded.learn([asking("Stop?", 950)], 1000);
  expect(reloaded.since(asking("Stop?", 950))).toBe(800);
  reloaded.learn([], 1100);
  reloaded.learn([asking("Stop?", 1150)], 1200);
  expect(reloaded.since(asking("Stop?", 1150))).toBe(1200);
});

test.each(["", "null", "{}", "[1]", '[["a"]]', '[["a",{"signature":1,"since":2}]]'])(
  "a memory that is not one is none: %p",
  (stored) => {
    const memory = new MemoryStorage();
    memory.setItem("panewatch.waits", stored);
    expect(new Waits(memory).since(asking("Go?", 7))).toBe(7);
  },
);

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
