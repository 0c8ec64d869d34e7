import { expect, test } from "bun:test";
import { KeyedLock, mapLimit, Semaphore, RequestLimit } from "../../src/lib/lock.ts";

test("a semaphore of one runs work in the order of the calls, also after a failure", async () => {
  const places = new Semaphore(1);
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = places.run(async () => {
    await gate.promise;
    seen.push("first");
    throw new Error("no");
  });
  const second = places.run(async () => seen.push("second"));
  await new Promise(setImmediate);
  expect(seen).toEqual([]);
  gate.resolve();
  expect(await first.catch(String)).toBe("Error: no");
  expect(await second).toBe(2);
  expect(seen).toEqual(["first", "second"]);
});

test("work under a key waits for that key only, and idle waits for all keys", async () => {
  const lock = new KeyedLock();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = lock.run("a", async () => {
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
  await Promise.all([first, behind, idle]);
  expect(seen).toEqual(["b", "a", "behind"]);
});

test("a free place of a semaphore is used though other work is slow", async () => {
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

test("mapLimit runs at most so many at a time, and gives the results in order", async () => {
  const ends: (() => void)[] = [];
  let [running, most] = [0, 0];
  const done = mapLimit([1, 2, 3, 4, 5], 2, async (item) => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => ends.push(resolve));
    running--;
    return item * 10;
  });
  for (let ended = 0; ended < 5; ended++) {
    ends.pop()?.();
    await new Promise(setImmediate);
  }
  expect(await done).toEqual([10, 20, 30, 40, 50]);
  expect(most).toBe(2);
  expect(await mapLimit([], 2, async () => 1)).toEqual([]);
});

test("mapLimit starts nothing more after a failure", async () => {
  const starts: number[] = [];
  const failing = mapLimit([1, 2, 3], 1, async (item) => {
    starts.push(item);
    if (item === 2) throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(starts).toEqual([1, 2]);
});

test("a client with too many requests is refused, alone, and again admitted when one has ended", async () => {
  const limit = new RequestLimit("too many", { ofOne: 2, ofAll: 3, retryAfterSeconds: 7 });
  const ends: (() => void)[] = [];
  const begin = (client: string) =>
    limit.run(client, () => new Promise<void>((resolve) => ends.push(resolve)));
  const [first, ...more] = [begin("a"), begin("a"), begin("b")];
  const refused = { kind: "too_many", message: "too many", retryAfterSeconds: 7 };
  await expect(begin("a")).rejects.toMatchObject(refused);
  // No place is left for anybody.
  await expect(begin("c")).rejects.toMatchObject(refused);
  ends.shift()?.();
  await first;
  more.push(begin("c"));
  await expect(begin("b")).rejects.toMatchObject(refused);
  for (const end of ends) end();
  await Promise.all(more);
  expect(await limit.run("a", async () => "done")).toBe("done");
  await expect(limit.run("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await Promise.all(["a", "a"].map((one) => limit.run(one, async () => one)))).toEqual([
    ...["a", "a"],
  ]);
});
