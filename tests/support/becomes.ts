import { expect } from "bun:test";
import { until } from "./until.ts";

/** Polls until `read` gives what is expected; what it gave last is what the failure tells of. */
export async function becomes(read: () => unknown, expected: unknown): Promise<void> {
  const isSo = async () => Bun.deepEquals(await read(), expected) || null;
  await until(isSo).catch(async () => expect(await read()).toEqual(expected));
}
