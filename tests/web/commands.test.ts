import { expect, test } from "bun:test";
import { COMMANDS } from "../../web/views/commands/table.ts";

test("no two commands answer to the same keys, but in the lines of a file", () => {
  const keysOf = (isOfFiles: boolean) =>
    COMMANDS.flatMap(({ group, keys, run }) =>
      keys === undefined || run === undefined || (group === "files") !== isOfFiles ? [] : [keys],
    );
  const [keys, ofFiles] = [keysOf(false), keysOf(true)];
  expect(keys.length).toBeGreaterThan(30);
  expect(new Set(keys).size).toBe(keys.length);
  expect(ofFiles).toEqual(["j", "k", "n", "p", "r"]);
});

test("what stands in the palette can be run, and what has no keys stands there", () => {
  for (const { label, icon, keys, run } of COMMANDS) {
    if (icon !== undefined) expect([label, run]).toEqual([label, expect.any(Function)]);
    if (keys === undefined) expect([label, icon]).toEqual([label, expect.any(String)]);
  }
});
