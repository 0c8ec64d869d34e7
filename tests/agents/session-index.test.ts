import { expect, test } from "bun:test";
import { SessionIndex } from "../../src/agents/binding/binder.ts";
import { memoryStore, newSession } from "./support/store.ts";

test("what was touched is read again, and what is gone is forgotten", async () => {
  const { store } = memoryStore();
  const [a, b] = [newSession(store, "a"), newSession(store, "b")];
  const index = new SessionIndex(store);
  expect(index.hasNews).toBe(true);
  const first = new Map(await index.read());
  expect([...first.keys()].toSorted()).toEqual([a, b].toSorted());
  expect(index.hasNews).toBe(false);
  store.write(() => store.expiry.dropSession(a));
  for (const id of [a, b]) index.touch(id);
  expect(index.hasNews).toBe(true);
  const second = new Map(await index.read());
  expect([...second.keys()]).toEqual([b]);
  expect(second.get(b)).not.toBe(first.get(b));
  expect((await index.read()).get(b)).toBe(second.get(b));
});
