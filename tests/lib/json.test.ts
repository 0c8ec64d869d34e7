import { expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalJson, parseJson, printedJson } from "../../src/lib/json.ts";
import { forAll } from "../support/laws.ts";

test("parseJson gives the value of a JSON text, and undefined for other text", () => {
  expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(parseJson("null")).toBeNull();
  for (const text of ["", "{", "undefined", "NaN", "'a'", '{"a":1} x', "[".repeat(500_000)])
    expect(parseJson(text)).toBeUndefined();
});

test("equal values have the same canonical text, other values another", () => {
  expect(canonicalJson({ b: 1, a: { d: 2, c: [{ z: 1, y: 2 }] } })).toBe(
    '{"a":{"c":[{"y":2,"z":1}],"d":2},"b":1}',
  );
  expect(canonicalJson({ a: undefined, b: 1 })).toBe(canonicalJson({ b: 1 }));
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  forAll([fc.dictionary(fc.string(), fc.jsonValue())], (value) => {
    const reversed = Object.fromEntries(Object.entries(value).toReversed());
    expect(canonicalJson(reversed)).toBe(canonicalJson(value));
    expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
  });
});

test("printed JSON has the same value, and nothing in it acts on a terminal or reorders it", () => {
  const controls = fc.constantFrom(
    ..."\u0000\u001b\u007f\u0085\u009b\u061c\u200e\u202e\u2066\u2069a",
  );
  const text = fc.string({
    unit: fc.oneof(controls, fc.string({ unit: "grapheme", maxLength: 1 })),
  });
  forAll([fc.dictionary(text, text), fc.constantFrom(0, 2)], (value, indent) => {
    const printed = printedJson(value, indent);
    expect(printed.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(value)));
  });
});
