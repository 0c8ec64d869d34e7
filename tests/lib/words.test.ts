import { expect, test } from "bun:test";
import fc from "fast-check";
import { didYouMean, splitWords } from "../../src/lib/words.ts";

const CASES: [string, string[] | null][] = [
  ["", []],
  ["  a \t b\n", ["a", "b"]],
  [`a 'b c' "d e"`, ["a", "b c", "d e"]],
  [`a''b ""`, ["ab", ""]],
  [String.raw`a\ b "c\"d" 'e\f' "g\h"`, ["a b", 'c"d', String.raw`e\f`, String.raw`g\h`]],
  ["$HOME `x` *", ["$HOME", "`x`", "*"]],
  [`a "b`, null],
  [`'`, null],
];
for (const [line, words] of CASES) {
  test(`words of ${JSON.stringify(line)}`, () => {
    expect(splitWords(line)).toEqual(words);
  });
}

test("law: words quoted as a shell would quote them come back as they were", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      const line = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
      expect(splitWords(line)).toEqual(words);
    }),
  );
});

test("the nearest word is offered only when it is near", () => {
  const known = ["poll_interval", "panes", "mux"];
  expect(didYouMean("pol_intervall", known)).toBe(" (did you mean poll_interval?)");
  expect(didYouMean("tux", known)).toBe(" (did you mean mux?)");
  expect(didYouMean("something", known)).toBe("");
  expect(didYouMean("x", [])).toBe("");
});
