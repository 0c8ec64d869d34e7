import { expect, test } from "bun:test";
import { mapLimit } from "../../src/lib/lock.ts";

test("all are done, so many at a time, and told in their order", async () => {
  const ends: (() => void)[] = [];
  let [running, most] = [0, 0];
  const done = mapLimit([1, 2, 3, 4, 5], 2, async (item) => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => ends.push(resolve));
    running--;
    return item * 10;
  });
  // The one that began last ends first.
  for (let ended = 0; ended < 5; ended++) {
    ends.pop()?.();
    await new Promise(setImmediate);
  }
  expect(await done).toEqual([10, 20, 30, 40, 50]);
  expect(most).toBe(2);
  expect(await mapLimit([], 2, async () => 1)).toEqual([]);
});

test("after a failure nothing more is begun", async () => {
  const begun: number[] = [];
  const failing = mapLimit([1, 2, 3], 1, async (item) => {
    begun.push(item);
    if (item === 2) throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(begun).toEqual([1, 2]);
});
