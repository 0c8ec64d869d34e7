import { expect, test } from "bun:test";
import { COMMANDS } from "../../web/views/commands/table.ts";

test("no two commands answer to the same keys", () => {
  const keys = COMMANDS.flatMap(({ keys: own, run }) =>
    own === undefined || run === undefined ? [] : [own],
  );
  expect(keys.length).toBeGreaterThan(30);
  expect(keys.filter((own, index) => keys.indexOf(own) !== index)).toEqual([]);
});

test("what stands in the palette can be run, and what has no keys stands there", () => {
  for (const { label, icon, keys, run } of COMMANDS) {
    if (icon !== undefined) expect([label, run]).toEqual([label, expect.any(Function)]);
    if (keys === undefined) expect([label, icon]).toEqual([label, expect.any(String)]);
  }
});
