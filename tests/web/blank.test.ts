import { expect, test } from "bun:test";
import fc from "fast-check";
import { blankOut } from "../../src/cases/cases.ts";
import { blankedText, wordsOf } from "../../web/model/blank.ts";

const text = fc.string({
  unit: fc.constantFrom("a", "b", "x", " ", "漢", "é", "🙂", "/", ".", "│"),
});

test("what is shown as blanked out is what the server blanks out", () => {
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 3 }), (line, blanked) => {
      // The server fills wide characters with wide ones, for the columns' sake.
      expect(blankedText(line, blanked)).toBe(blankOut(line, blanked).replaceAll("ｘ", "x"));
    }),
  );
});

test("one word or path a line, once each, without what stands around it", () => {
  expect(wordsOf(" acme \n\n/home/dev/a b\nacme")).toEqual(["acme", "/home/dev/a b"]);
});
