import { expect, test } from "bun:test";
import { causesOf, createLog, VERBOSITIES } from "../../src/lib/log.ts";

test.each([
  ["quiet", ["warn", "error"]],
  ["normal", ["info", "warn", "error"]],
  ["debug", ["debug", "info", "warn", "error"]],
] as const)("verbosity %s prints %p", (verbosity, levels) => {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line), verbosity);
  log.debug("a");
  log.info("a");
  log.warn("a");
  log.error("a");
  expect(lines.map((line) => line.split(" ")[1] ?? "")).toEqual([...levels]);
  expect(VERBOSITIES).toContain(verbosity);
});

test("a message with line breaks or control characters stays one plain line", () => {
  const lines: string[] = [];
  createLog((line) => lines.push(line)).info("a\nb\u2028c\u001b[31md");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toEndWith("info a b c [31md\n");
});

test("causes are listed nearest first, limited in number and length", () => {
  const deepest = new Error("x".repeat(1000), { cause: new Error("never told") });
  const error = new Error("top", {
    cause: new Error("near", { cause: new Error("far", { cause: deepest }) }),
  });
  expect(causesOf(error)).toBe(`: near: far: ${"x".repeat(300)}`);
  expect(causesOf(new Error("alone"))).toBe("");
  expect(causesOf(new Error("top", { cause: "words" }))).toBe(": words");
});
