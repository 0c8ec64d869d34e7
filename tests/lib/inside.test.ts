import { heapStats } from "bun:jsc";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import type { AppError } from "../../src/errors.ts";
import {
  atDisk,
  canonicalDirectory,
  expandPath,
  isInside,
  MAX_PATH_CHARS,
  nearestReal,
} from "../../src/lib/inside.ts";
import { lateLook } from "../support/late-look.ts";
import { forAll } from "../support/laws.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

describe("expandPath", () => {
  test("expandPath replaces the home of this user only", () => {
    expect(expandPath("~", "/home/me")).toBe("/home/me");
    expect(expandPath("~/a b", "/home/me")).toBe("/home/me/a b");
    expect(expandPath("~root/x", "/home/me")).toBeNull();
    expect(expandPath("/x/~", "/home/me")).toBe("/x/~");
  });

  test.each(["", "a", "./a", "../a", "a/~", "/a\0b", `/${"a".repeat(MAX_PATH_CHARS)}`])(
    "expandPath refuses %p",
    (path) => expect(expandPath(path, "/home/me")).toBeNull(),
  );
});

const component = fc.stringMatching(/^[a-z.]{1,6}$/);
const canonical = fc
  .array(component, { maxLength: 5 })
  .map((parts) => `/${parts.filter((part) => part !== "." && part !== "..").join("/")}`);

describe("isInside", () => {
  test("isInside holds exactly for a prefix of whole components", () => {
    forAll([canonical, canonical], (root, path) => {
      const parts = (text: string) => text.split("/").filter(Boolean);
      const byParts = parts(root).every((part, index) => parts(path)[index] === part);
      expect(isInside(root, path)).toBe(byParts);
    });
  });
});

const folder = await temporary("inside", afterAll);
await mkdir(join(folder, "real"));
await writeFile(join(folder, "file"), "");
await symlink("real", join(folder, "link"));
await symlink("loop", join(folder, "loop"));

describe("a path on the disk", () => {
  test("a canonical directory has no links, dots or trailing slashes", async () => {
    expect(await canonicalDirectory(join(folder, "link"))).toBe(join(folder, "real"));
    expect(await canonicalDirectory(`${folder}/link/../real/./`)).toBe(join(folder, "real"));
  });

  test("a file, a loop, a missing or over-long name is no directory", async () => {
    for (const name of ["file", "loop", "missing", "x".repeat(300), "file/.."])
      expect(await canonicalDirectory(`${folder}/${name}`)).toBeNull();
  });

  test("the nearest real ancestor is found through links", async () => {
    expect(await nearestReal(`${folder}/link/a/b`)).toBe(join(folder, "real"));
    expect(await nearestReal("/")).toBe("/");
  });
});

test("a disk that does not answer holds one look, and the others are refused in time", async () => {
  let isAsked = false;
  const { look, others, answer } = await lateLook("/", () =>
    [atDisk("/", async () => (isAsked = true)), canonicalDirectory("/")].map((each) =>
      each.then(String, (error: AppError) => error.kind),
    ),
  );
  expect(await Promise.all([look, ...others])).toEqual(["timed_out", "timed_out", "timed_out"]);
  // Behind the late one it would wait until that ends.
  const refusal = canonicalDirectory("/").then(String, (error: AppError) => error.kind);
  expect(await refusal).toBe("timed_out");
  answer();
  expect(await until(() => canonicalDirectory("/").catch(() => null))).toBe("/");
  expect(isAsked).toBe(false);
});

test("while a disk elsewhere does not answer, those of this Linux machine are looked at", async () => {
  await symlink("/proc/self", join(folder, "elsewhere"));
  const paths = [folder, join(folder, "link"), "/proc", `${folder}/link/../elsewhere`];
  const looks = () =>
    paths.map((path) => canonicalDirectory(path).catch((error: AppError) => error.kind));
  // No disk of this machine either, and there on each Linux.
  const { look, others, answer } = await lateLook("/proc/self", looks);
  expect(await look).toBe("timed_out");
  const own =
    process.platform === "linux" ? [folder, join(folder, "real")] : Array(2).fill("timed_out");
  // Whoever waits behind the late one is looked at too, once that is known.
  for (const found of [others, looks()])
    expect(await Promise.all(found)).toEqual([...own, "timed_out", "timed_out"]);
  answer();
  expect(await until(() => canonicalDirectory("/").catch(() => null))).toBe("/");
});

test("a look leaves nothing in memory", async () => {
  const promises = () => {
    Bun.gc(true);
    return heapStats().objectTypeCounts["Promise"] ?? 0;
  };
  const looks = async () => {
    for (let look = 0; look < 800; look++) await atDisk("/", async () => look);
  };
  await looks();
  const before = promises();
  await looks();
  expect(promises() - before).toBeLessThan(400);
});
