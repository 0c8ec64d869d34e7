import { expect, test } from "bun:test";
import fc from "fast-check";
import { findIn } from "../../../web/model/search.ts";

test("a find is told in one line, with what stands around it", () => {
  const text = `${"before ".repeat(40)}\nRedis here ${"behind ".repeat(60)}`;
  const { before, match, after } = findIn(text, "redis");
  expect([before.endsWith("before "), match, after.startsWith(" here behind")]).toEqual([
    ...[true, "Redis", true],
  ]);
  expect(after.length).toBeLessThan(200);
  expect(findIn("100% of [it]", "% of [").match).toBe("% of [");
});

test("no search and no text breaks it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (text, search) => {
      const { before, match, after } = findIn(text, search);
      const line = text.replace(/\s+/g, " ").trim();
      expect(line.toWellFormed()).toStartWith((before + match + after).toWellFormed());
    }),
  );
});
