import { expect, test } from "bun:test";
import fc from "fast-check";
import { storedMembers } from "../../web/model/stored.ts";

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
