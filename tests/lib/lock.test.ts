import { expect, test } from "bun:test";
import { KeyedLock, Mutex, Semaphore } from "../../src/lib/lock.ts";

test("a mutex runs work in the order of the calls, also behind work that fails", async () => {
  const mutex = new Mutex();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = mutex.run(async () => {
    await gate.promise;
    seen.push("first");
    throw new Error("no");
  });
  const second = mutex.run(async () => seen.push("second"));
  await new Promise(setImmediate);
  expect(seen).toEqual([]);
  gate.resolve();
  expect(await first.catch(String)).toBe("Error: no");
  expect(await second).toBe(2);
  expect(seen).toEqual(["first", "second"]);
});

test("a key holds its own work and no other, and idle waits for all of it", async () => {
  const lock = new KeyedLock();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const held = lock.run("a", async () => {
    await gate.promise;
    seen.push("a");
  });
  const behind = lock.run("a", async () => seen.push("behind"));
  await lock.run("b", async () => seen.push("b"));
  expect(seen).toEqual(["b"]);
  let isIdle = false;
  const idle = lock.idle().then(() => (isIdle = true));
  await new Promise(setImmediate);
  expect(isIdle).toBe(false);
  gate.resolve();
  await Promise.all([held, behind, idle]);
  expect(seen).toEqual(["b", "a", "behind"]);
});

test("work takes the place that is free first, whatever else is slow", async () => {
  const places = new Semaphore(2);
  const slow = Promise.withResolvers<void>();
  const done: number[] = [];
  const works = [() => slow.promise, ...[1, 2, 3].map((n) => async () => void done.push(n))];
  const all = works.map((work) => places.run(work));
  expect(done).toEqual([1]);
  await Promise.all(all.slice(1));
  expect(done).toEqual([1, 2, 3]);
  await expect(places.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  slow.resolve();
  await Promise.all(all);
});
