import { expect, test } from "bun:test";
import fc from "fast-check";
import { patchScreen } from "../../web/model/screen-patch.ts";

const same = (a: string, b: string) => a === b;
const lines = fc.array(fc.constantFrom("", "a", "b", "c", "d"), { maxLength: 40 });

test("what stays, stays in place: applying a patch gives the new screen", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const { drop, head, tail } = patchScreen(before, after, same);
      expect(drop + head + tail).toBeLessThanOrEqual(before.length);
      expect(head + tail).toBeLessThanOrEqual(after.length);
      const fresh = after.slice(head, after.length - tail);
      const applied = [
        ...before.slice(drop, drop + head),
        ...fresh,
        ...before.slice(before.length - tail),
      ];
      expect(applied).toEqual(after);
    }),
  );
});

test("scrolled output keeps all rows but the new ones", () => {
  const before = Array.from({ length: 200 }, (_, i) => `line ${i}`);
  const after = [...before.slice(3), "x", "y", "z"];
  expect(patchScreen(before, after, same)).toEqual({ drop: 3, head: 197, tail: 0 });
});

test("a spinner near the end rewrites one row", () => {
  const before = ["a", "b", "* 1 s", "> "];
  expect(patchScreen(before, ["a", "b", "* 2 s", "> "], same)).toEqual({
    drop: 0,
    head: 2,
    tail: 1,
  });
});
