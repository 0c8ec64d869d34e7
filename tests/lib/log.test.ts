import { expect, test } from "bun:test";
import { causesOf, createLog, VERBOSITIES } from "../../src/lib/log.ts";

test.each([
  ["quiet", ["warn", "error"]],
  ["normal", ["info", "warn", "error"]],
  ["debug", ["debug", "info", "warn", "error"]],
] as const)("%s tells %p", (verbosity, levels) => {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line), verbosity);
  log.debug("a");
  log.info("a");
  log.warn("a");
  log.error("a");
  expect(lines.map((line) => line.split(" ")[1] ?? "")).toEqual([...levels]);
  expect(VERBOSITIES).toContain(verbosity);
});

test("nothing that is told makes a line of its own", () => {
  const lines: string[] = [];
  createLog((line) => lines.push(line)).info("a\nb\u2028c\u001b[31md");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toEndWith("info a b c [31md\n");
});

test("causes are told nearest first, bounded in number and length", () => {
  const deepest = new Error("x".repeat(1000), { cause: new Error("never told") });
  const error = new Error("top", {
    cause: new Error("near", { cause: new Error("far", { cause: deepest }) }),
  });
  expect(causesOf(error)).toBe(`: near: far: ${"x".repeat(300)}`);
  expect(causesOf(new Error("alone"))).toBe("");
  expect(causesOf(new Error("top", { cause: "words" }))).toBe(": words");
});
