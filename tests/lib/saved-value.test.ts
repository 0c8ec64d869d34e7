import { expect, jest, test } from "bun:test";
import fc from "fast-check";
import { SavedValue } from "../../src/lib/stored-json.ts";
import { until } from "../support/until.ts";
import { forAllInTime } from "../support/laws.ts";

const FULL = new Error("the disk is full");

/** A list whose writes the test ends one by one. */
function staged() {
  const writes: { value: readonly string[]; end: PromiseWithResolvers<void> }[] = [];
  const list = new SavedValue<readonly string[]>([], async (value) => {
    const end = Promise.withResolvers<void>();
    writes.push({ value, end });
    await end.promise;
  });
  const add = (word: string) => list.change((value) => [...value, word]);
  const write = async (index: number) => (await until(() => writes[index] ?? null)).end;
  return { writes, write, list, add };
}

test("a change is current once it is written", async () => {
  const { write, list, add } = staged();
  const added = add("one");
  expect(list.current).toEqual([]);
  (await write(0)).resolve();
  await added;
  expect(list.current).toEqual(["one"]);
});

test("a change that cannot be written is dropped, and the next change starts without it", async () => {
  const { write, list, add } = staged();
  const lost = add("one");
  const next = add("two");
  (await write(0)).reject(FULL);
  await expect(lost).rejects.toBe(FULL);
  expect(list.current).toEqual([]);
  (await write(1)).resolve();
  await next;
  expect(list.current).toEqual(["two"]);
});

test("changes during a write share the next write", async () => {
  const { writes, write, list, add } = staged();
  const all = ["one", "two", "three", "four"].map(add);
  (await write(0)).resolve();
  await all[0];
  (await write(1)).resolve();
  await Promise.all(all);
  expect(writes.map(({ value }) => value.length)).toEqual([1, 4]);
  await list.saved();
  expect(writes).toHaveLength(2);
});

test("a change that throws leaves the other changes alone", async () => {
  const { write, list, add } = staged();
  const first = add("one");
  const refused = list.change(() => {
    throw new TypeError("no room");
  });
  const last = add("two");
  (await write(0)).resolve();
  await first;
  await expect(refused).rejects.toThrow("no room");
  (await write(1)).resolve();
  await last;
  expect(list.current).toEqual(["one", "two"]);
});

test("a change to the same value is not written", async () => {
  const { writes, list } = staged();
  await list.change((value) => value);
  expect(writes).toEqual([]);
});

test("touches during a write cause one more write", async () => {
  const { writes, write, list, add } = staged();
  const added = add("one");
  for (let times = 0; times < 3; times++) list.touch();
  (await write(0)).reject(FULL);
  await expect(added).rejects.toBe(FULL);
  (await write(1)).resolve();
  await list.saved();
  expect(writes.map(({ value }) => value)).toEqual([["one"], []]);
});

test("law: after any failures the current value is the value written last", async () => {
  const steps = fc.array(fc.record({ fails: fc.boolean(), waits: fc.boolean() }), {
    maxLength: 20,
  });
  await forAllInTime([steps], 200, async (all) => {
    let written: readonly number[] = [];
    const failing = [...all];
    const list = new SavedValue<readonly number[]>([], async (value) => {
      await Promise.resolve();
      if (failing.shift()?.fails) throw FULL;
      written = value;
    });
    const added: number[] = [];
    for (const [index, { waits }] of all.entries()) {
      const change = list.change((value) => [...value, index]);
      const noted = change.then(
        () => void added.push(index),
        () => undefined,
      );
      if (waits) await noted;
    }
    await list.saved();
    await Promise.resolve();
    expect(list.current).toEqual(written);
    expect(list.current).toEqual(added);
  });
});

test("a failed touch is written again later, once, without another change", async () => {
  let writes = 0;
  const write = async () => {
    if (++writes <= 2) throw FULL;
  };
  jest.useFakeTimers();
  try {
    const list = new SavedValue<readonly string[]>([], write);
    for (let times = 0; times < 2; times++) {
      list.touch();
      await list.saved();
      jest.advanceTimersByTime(3000);
    }
    jest.advanceTimersByTime(24_000);
    await list.saved();
    expect(writes).toBe(3);
    jest.advanceTimersByTime(300_000);
    await list.saved();
    expect(writes).toBe(3);
  } finally {
    jest.useRealTimers();
  }
});

test("after close nothing is written, though writes failed before", async () => {
  let writes = 0;
  const write = async () => {
    writes += 1;
    throw FULL;
  };
  jest.useFakeTimers();
  try {
    const list = new SavedValue<readonly string[]>([], write);
    for (let times = 0; times < 3; times++) {
      list.touch();
      await list.saved();
    }
    await list.close();
    list.touch();
    await expect(list.change(() => ["one"])).rejects.toThrow("closed");
    jest.advanceTimersByTime(100_000);
    await list.saved();
    expect(writes).toBe(3);
  } finally {
    jest.useRealTimers();
  }
});
