import { expect, test } from "bun:test";
import fc from "fast-check";
import { excerptAround, markHits } from "../../../web/model/search.ts";

test("hits are marked, and nothing else changes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (text, search) => {
      const parts = markHits(text, search);
      expect(parts.map((part) => part.text).join("")).toBe(text);
    }),
  );
  expect(markHits("Redis and redis:7 (x)", "redis")).toEqual([
    { text: "Redis", isHit: true },
    { text: " and ", isHit: false },
    { text: "redis", isHit: true },
    { text: ":7 (x)", isHit: false },
  ]);
  expect(markHits("a.b axb", "a.b").filter(({ isHit }) => isHit)).toHaveLength(1);
  expect(markHits("100% of [it]", "% of [").filter(({ isHit }) => isHit)).toHaveLength(1);
});

test("the excerpt holds the first hit", () => {
  const text = `${"before ".repeat(40)}\nRedis here ${"behind ".repeat(60)}`;
  const excerpt = excerptAround(text, "redis");
  expect(excerpt.startsWith("…") && excerpt.endsWith("…")).toBe(true);
  expect(excerpt).toContain("Redis here");
  expect(excerpt.length).toBeLessThan(240);
  expect(excerptAround("short text", "t")).toBe("short text");
});
