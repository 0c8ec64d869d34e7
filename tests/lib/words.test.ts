import { expect, test } from "bun:test";
import fc from "fast-check";
import { blankControls, didYouMean, quoteWord, splitWords } from "../../src/lib/words.ts";
import { forAll } from "../support/laws.ts";

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
test.each(CASES)("splitWords of %j", (line, words) => {
  expect(splitWords(line)).toEqual(words);
});

test("law: a shell and splitWords read quoted words back as they were", () => {
  const text = fc
    .string({ unit: "grapheme", maxLength: 40 })
    .filter((word) => !word.includes("\0"));
  forAll([fc.array(text, { minLength: 1, maxLength: 20 })], 120, (words) => {
    const line = words.map(quoteWord).join(" ");
    const { stdout } = Bun.spawnSync(["sh", "-c", `printf '%s\\0' ${line}`]);
    expect(stdout.toString().split("\0").slice(0, -1)).toEqual(words);
    expect(splitWords(line)).toEqual(words);
  });
});

test("quoteWord leaves a plain path as it is", () => {
  const plain = "/home/me/.panewatch/uploads/0f.png";
  expect(quoteWord(plain)).toBe(plain);
  expect(quoteWord("/home/my home/it's")).toBe(`'/home/my home/it'\\''s'`);
});

test("didYouMean offers the nearest word only if it is near", () => {
  const known = ["poll_interval", "panes", "mux"];
  expect(didYouMean("pol_intervall", known)).toBe(" (did you mean poll_interval?)");
  expect(didYouMean("tux", known)).toBe(" (did you mean mux?)");
  expect(didYouMean("something", known)).toBe("");
  expect(didYouMean("x", [])).toBe("");
});

test.each([
  ["\u001b[1;31mred\u001b[0m", "red"],
  ["hi\u001b]0; && rm -rf ~", "hi ]0; && rm -rf ~"],
  ["hi\u001bP && rm", "hi P && rm"],
  ["hi\u009d && rm", "hi  && rm"],
  ["\u001b\u001b[0m[2Jx", " [2Jx"],
  ["a\u202eb\u2028c\r\nd", "a b c d"],
])("of %j nothing acts on a terminal, and no word is hidden", (text, shown) => {
  expect(blankControls(text)).toBe(shown);
});
