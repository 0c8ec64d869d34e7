import { expect, test } from "bun:test";
import fc from "fast-check";
import { mergeFindings, splitPatterns } from "../../src/detect/pattern-matcher.ts";
import { PatternSearch } from "../../src/detect/pattern-search.ts";
import { forAll } from "../support/laws.ts";

const PATTERNS = ["a", "b", "ab", "a$", "^b", "[ab]c", "c"];

test("two searches over the parts of the patterns find what one over all of them finds", () => {
  const lists = fc.record({
    prompt: fc.subarray(PATTERNS, { minLength: 0 }),
    error: fc.subarray(PATTERNS, { minLength: 0 }),
  });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "\n"), maxLength: 30 });
  forAll([text, lists, fc.subarray(PATTERNS)], (subject, patterns, admitted) => {
    const [some, others] = splitPatterns(patterns, (one) => admitted.includes(one));
    const search = new PatternSearch();
    const parts = [some, others].map((part) => search.run({ text: subject, ...part }));
    const [a, b] = parts;
    if (!a || !b) throw new Error("two parts");
    expect(mergeFindings(patterns, a, b)).toEqual(search.run({ text: subject, ...patterns }));
  });
});
