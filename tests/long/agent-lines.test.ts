import { expect, setDefaultTimeout, test } from "bun:test";
import { readMutations } from "../agents/support/mutations.ts";

setDefaultTimeout(30 * 60_000);

const LINES = 2_000_000;

test("two million lines that nobody wrote throw nothing", () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  expect(readMutations(LINES, seed).events).toBeGreaterThan(LINES / 20);
});
