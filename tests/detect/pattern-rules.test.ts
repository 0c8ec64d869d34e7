import { expect, test } from "bun:test";
import fc from "fast-check";
import { mergeFindings, splitPatterns } from "../../src/detect/pattern-matcher.ts";
import { MAX_PATTERN_CHARS, patternFault } from "../../src/detect/pattern-rules.ts";
import { PatternSearch } from "../../src/detect/pattern-search.ts";
import { forAll } from "../support/laws.ts";

test.each([
  "(a+)+$",
  "(.*)*",
  "(a+){2,}",
  "(\\d+)+",
  "(a|a)*$",
  "((ab)+)+",
  "(?:x*)+",
  "(?<n>a{1,3})*",
  "(a|ab)+",
  "(\\w|_)*",
  "(a|)*",
  "([a-z]+|b)+",
  "((a+)b)*",
  "(a?){3,9}",
])("refuses the nested quantifier of %s", (pattern) => {
  expect(patternFault(pattern)).toBe(`nested quantifier in ${pattern}`);
});

test.each([
  "\\(y/n\\)",
  "\\[Y/n\\]",
  "Traceback \\(most recent call last\\)",
  "^\\s*ERROR\\b",
  "(foo|bar)+",
  "(ab)*",
  "(a+)?",
  "(a+){1}",
  "[(a+)]+",
  "\\(a+\\)+",
  "(?:y|n)\\?",
  "a{2}b+",
  "(a+)(b+)",
  "x{1",
])("admits %s", (pattern) => {
  expect(patternFault(pattern)).toBeNull();
});

test("refuses what is too long or no regular expression, and says which", () => {
  expect(patternFault("a".repeat(MAX_PATTERN_CHARS))).toBeNull();
  expect(patternFault("a".repeat(MAX_PATTERN_CHARS + 1))).toStartWith("pattern too long");
  expect(patternFault("(")).toStartWith("bad regex (: ");
});

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
