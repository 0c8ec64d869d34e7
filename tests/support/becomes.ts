import { expect } from "bun:test";
import { until } from "./until.ts";

/** Polls until `read` gives what is expected; what it gave last is what the failure tells of. */
export async function becomes(read: () => unknown, expected: unknown): Promise<void> {
  try {
    await until(async () => Bun.deepEquals(await read(), expected) || null);
  } catch {
    expect(await read()).toEqual(expected);
  }
}
