import { beforeEach, expect, test } from "bun:test";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HOST_NUMBERS_FILE, HostNumbers, overridesOf } from "../../src/hosts/machines.ts";
import { JsonFile } from "../../src/lib/json-file.ts";
import { createLog } from "../../src/lib/log.ts";
import { FakeClock } from "../support/clock.ts";
import { temporary } from "../support/temporary.ts";

let folder: string;
beforeEach(async () => {
  folder = await temporary("hosts");
});

const path = () => join(folder, HOST_NUMBERS_FILE);
const open = () =>
  new HostNumbers(new JsonFile(path(), { log: createLog(() => {}), clock: new FakeClock() }));

test("a host's name keeps its number over a restart, and no other name gets it", async () => {
  const first = open();
  expect(await Promise.all(["gpu-1", "build", "gpu-1"].map((name) => first.of(name)))).toEqual([
    1, 2, 1,
  ]);
  const later = open();
  expect(await later.of("laptop")).toBe(3);
  expect(await later.of("build")).toBe(2);
  expect((await stat(path())).mode & 0o777).toBe(0o600);
});

test("a host number that cannot be written is not given out", async () => {
  const numbers = new HostNumbers({
    read: async () => null,
    write: async () => {
      throw new Error("the disk is full");
    },
    quarantine: async () => {},
  });
  await expect(numbers.of("gpu-1")).rejects.toThrow("the disk is full");
  await expect(numbers.of("gpu-1")).rejects.toThrow("the disk is full");
});

test("a file of host numbers that is invalid is moved aside, not overwritten", async () => {
  await writeFile(path(), '{"version":1,"numbers":{"gpu-1":-4}}');
  expect(await open().of("gpu-1")).toBe(1);
  expect((await readdir(folder)).some((name) => name.includes(".corrupt-"))).toBe(true);
});

test("each machine gets the overrides of its own panes", () => {
  const override = (target: string) => ({ target, name: "", kind: null, star: true });
  const all = ["work:1.1", "gpu-1:work:1.1", "build:work:1.1", "odd"].map(override);
  const targets = (machine: string | null) => overridesOf(all, machine).map(({ target }) => target);
  expect(targets(null)).toEqual(["work:1.1", "odd"]);
  expect(targets("gpu-1")).toEqual(["gpu-1:work:1.1"]);
  expect(targets("other")).toEqual([]);
});
