import { expect, test } from "bun:test";
import fc from "fast-check";
import { blankOut } from "../../src/cases/cases.ts";
import { forAll } from "../support/laws.ts";

test("a word is blanked out wherever it stands, everything else keeps its place", () => {
  expect(blankOut("cd /srv/acme; ls /srv/acme/src", ["/srv/acme"])).toBe(
    "cd xxxxxxxxx; ls xxxxxxxxx/src",
  );
  expect(blankOut("a.b acb", ["a.b"])).toBe("xxx acb");
  expect(blankOut("acme acme-api", ["acme", "acme-api"])).toBe("xxxx xxxxxxxx");
  expect(blankOut("two words", ["two words", ""])).toBe("xxx xxxxx");
  expect(blankOut("nothing", [])).toBe("nothing");
});

test("length, columns and line breaks stay, and the word does not", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "漢", "é", "🙂", "\n", "/") });
  forAll([text, fc.array(text, { maxLength: 4 })], (whole, words) => {
    const blanked = blankOut(whole, words);
    expect(blanked).toHaveLength(whole.length);
    expect(blanked.split("\n").map((line) => Bun.stringWidth(line))).toEqual(
      whole.split("\n").map((line) => Bun.stringWidth(line)),
    );
    for (const word of words)
      if (word.trim() !== "") expect(blankOut(whole, [word])).not.toContain(word);
  });
});
