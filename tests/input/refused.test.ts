import { expect, test } from "bun:test";
import { join } from "node:path";
import { RefusalCode } from "../../src/protocol/input.ts";

test("docs/api.md lists every code of a refused action, and no other", async () => {
  const text = await Bun.file(join(import.meta.dir, "../../docs/api.md")).text();
  const [, section = ""] = text.split("### What a refusal is called");
  const [table = ""] = section.split("\n## ");
  const listed = [...table.matchAll(/^\| `(\w+)` \| \d{3} \|/gm)].map(([, code]) => code);
  expect(listed.toSorted()).toEqual([...RefusalCode.options].toSorted());
});
