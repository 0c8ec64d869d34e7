import { beforeEach, expect, test } from "bun:test";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { quarantine } from "../../src/lib/json-file.ts";
import { temporary } from "../support/temporary.ts";

let folder = "";
beforeEach(async () => {
  folder = await temporary("aside");
});

const write = (...names: string[]) =>
  Promise.all(names.map((name) => writeFile(join(folder, name), name)));

test("what belongs to a file goes with it, and nothing that is there is replaced", async () => {
  await write("a", "a-wal", "b", "a.corrupt-7");
  const name = await quarantine(join(folder, "a"), { now: 7.9, companions: ["-wal", "-shm"] });
  expect(name).toBe("a.corrupt-8");
  expect((await readdir(folder)).sort()).toEqual([
    "a.corrupt-7",
    "a.corrupt-8",
    "a.corrupt-8-wal",
    "b",
  ]);
});
