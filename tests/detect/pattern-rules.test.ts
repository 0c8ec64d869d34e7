import { expect, test } from "bun:test";
import { MAX_PATTERN_CHARS, patternFault } from "../../src/detect/pattern-rules.ts";

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
])("a pattern with a nested quantifier is refused: %s", (pattern) => {
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
])("a pattern without a nested quantifier is admitted: %s", (pattern) => {
  expect(patternFault(pattern)).toBeNull();
});

test("a pattern that is too long or no regular expression is refused, with the reason", () => {
  expect(patternFault("a".repeat(MAX_PATTERN_CHARS))).toBeNull();
  expect(patternFault("a".repeat(MAX_PATTERN_CHARS + 1))).toStartWith("pattern too long");
  expect(patternFault("🙂".repeat(MAX_PATTERN_CHARS))).toBeNull();
  expect(patternFault("(")).toStartWith("bad regex (: ");
});
