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
  createLog((line) => lines.push(line)).info("a\nb\u2028c\u001b[31md\u001b]e\u202ef");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toEndWith("info a b cd ]e f\n");
});

test("the stack of an error forges no other line and draws nothing", () => {
  const lines: string[] = [];
  const forged = "1999-11-30T10:00:00.000Z info access: nothing happened";
  createLog((line) => lines.push(line)).error(
    "it failed",
    new Error(`a\n${forged}\u001b[2J\u009b1m`),
  );
  const printed = lines.join("");
  expect(printed).toContain(forged);
  expect(printed.split("\n").filter((line) => line.startsWith("1999"))).toEqual([]);
  expect(printed).not.toMatch(/[\u001b\u009b]/);
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
