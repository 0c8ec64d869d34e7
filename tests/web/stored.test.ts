import { expect, test } from "bun:test";
import fc from "fast-check";
import { forgetServer, storedMembers } from "../../web/model/stored.ts";
import { MemoryStorage } from "../support/memory-storage.ts";

test("whatever a browser kept is an object, or as good as nothing", () => {
  expect(storedMembers('{"id":"a","n":1}')).toEqual({ id: "a", n: 1 });
  for (const text of [null, "", "null", "7", '"text"', "{", "undefined"])
    expect([text, storedMembers(text)]).toEqual([text, {}]);
});

test("no stored text makes the page throw", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(typeof storedMembers(text)).toBe("object");
    }),
  );
});

test("what a server has left goes under every name; what is the person's stays", () => {
  const storage = new MemoryStorage();
  const own = ["panewatch.preferences", "panewatch.answers", "panewatch.set-up", "other.program"];
  const names = ["draft.a", "remarks.s %1 /top", "token", "of-a-later-version"];
  for (const key of [...own, ...names.map((name) => `panewatch.${name}`)])
    storage.setItem(key, "1");
  forgetServer(storage);
  const left = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? "");
  expect(left.toSorted()).toEqual(own.toSorted());
});
