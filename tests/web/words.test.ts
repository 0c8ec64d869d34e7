import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Act } from "../../src/protocol/act.ts";
import { RefusalCode } from "../../src/protocol/input.ts";
import { outcomeText } from "../../web/views/record/line.tsx";
import { count, timeOfDay } from "../../web/words/common.ts";
import { notSent, refusedText } from "../../web/words/refusals.ts";
import { atText, momentText, whenText } from "../../web/words/times.ts";
import { fixture } from "../support/fixture.ts";

const WEB = join(import.meta.dir, "..", "..", "web");

test("every word of the page is used", async () => {
  const usedNames = new Set<string>();
  for (const file of new Bun.Glob("**/*.{ts,tsx}").scanSync(WEB)) {
    if (file.startsWith("words/")) continue;
    const source = await Bun.file(join(WEB, file)).text();
    for (const name of source.match(/\w+/g) ?? []) usedNames.add(name);
  }
  const unsaid: string[] = [];
  for (const file of readdirSync(join(WEB, "words"))) {
    const areas: Record<string, unknown> = await import(join(WEB, "words", file));
    for (const [area, words] of Object.entries(areas))
      if (typeof words === "object" && words !== null)
        for (const word of Object.keys(words))
          if (!usedNames.has(word)) unsaid.push(`${file}: ${area}.${word}`);
  }
  expect(unsaid).toEqual([]);
});

test("a refusal is shown in words, without the names of codes", () => {
  for (const reason of RefusalCode.options) {
    const told = outcomeText({ ...fixture(Act, { state: "refused", reason }), seq: 1 });
    for (const text of [told, refusedText(reason), notSent(reason)]) expect(text).not.toMatch(/_/);
  }
});

test("a time of day is shown by the 24-hour clock in the reader's zone", () => {
  const at = (hours: number, minutes: number) =>
    timeOfDay(new Date(2026, 2, 8, hours, minutes, 59).getTime() / 1000);
  expect([at(0, 5), at(9, 30), at(23, 59)]).toEqual(["00:05", "09:30", "23:59"]);
});

test("a time of another day has that day", () => {
  const on = (day: number) => new Date(2026, 2, day, 9, 30).getTime() / 1000;
  const days = [8, 7, 9, 1, 12].map(on);
  expect(days.map((at) => whenText(at, on(8)))).toEqual([
    ...["09:30", "yesterday 09:30", "tomorrow 09:30", "1 March", "12 March"],
  ]);
  expect(momentText(on(1), on(8))).toBe("1 March, 09:30");
  expect([8, 7, 1].map((day) => atText(on(day), on(8)))).toEqual([
    ...["at 09:30", "yesterday at 09:30", "on 1 March at 09:30"],
  ]);
});

test("a count has the singular for exactly one", () => {
  const told = [0, 1, 2, 11, 21].map((n) => count(n, "pane", "panes"));
  expect(told).toEqual(["0 panes", "1 pane", "2 panes", "11 panes", "21 panes"]);
});
