import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { browse, MAX_CHILDREN, recentDirectories } from "../../src/creation/creation.ts";
import { remoteDisk } from "../../src/creation/remote.ts";
import {
  type Disk,
  localDisk,
  presentRoots,
  requireAllowed,
  resolveRoots,
} from "../../src/creation/roots.ts";
import { AppError, type ErrorKind } from "../../src/errors.ts";
import { MAX_PATH_CHARS } from "../../src/lib/inside.ts";
import { run } from "../../src/lib/run.ts";
import type { CreationRoot } from "../../src/protocol/creation.ts";
import { temporary } from "../support/temporary.ts";

let roots: CreationRoot[] = [];
const at = (path: string) => join(folder, path);

const folder = await temporary("browse", afterAll);
for (const path of [
  "code/Beta/deep",
  "code/alpha",
  "code/.hidden",
  "code/a\nb",
  "code-secret",
  "other/in",
])
  await mkdir(at(path), { recursive: true });
await mkdir(at("many"));
for (let index = 0; index <= MAX_CHILDREN; index += 1) await mkdir(at(`many/d${index}`));
await writeFile(at("code/file"), "");
await symlink(at("code-secret"), at("code/escape"));
await symlink("/", at("code/slash"));
await symlink(at("code/Beta"), at("code/aaa"));
await symlink(at("other/in"), at("code/linked"));
await symlink(at("other/in"), at("code/linked-again"));
await symlink(at("gone"), at("code/dangling"));
await symlink("code", at("way-in"));
roots = [
  { label: "code", path: at("code") },
  { label: "other", path: at("other") },
  { label: "many", path: at("many") },
];

/** Stands for the shell of another machine. */
const shell = (script: string) =>
  run(["/bin/sh"], { stdin: script, timeoutMs: 30_000, maxBytes: 1024 * 1024 }).then(
    ({ code, stdout }) => ({ code, stdout: new TextDecoder().decode(stdout) }),
  );

describe.each<[string, Disk]>([
  ["of this machine", localDisk],
  ["over a shell of another machine", remoteDisk(shell)],
])("directories %s", (_, disk) => {
  const look = async (path: string) => browse(disk, roots, await requireAllowed(disk, roots, path));

  const verdict = (path: string, allowed = roots): Promise<ErrorKind | "allowed"> =>
    requireAllowed(disk, allowed, path).then(
      () => "allowed" as const,
      (error: AppError) => error.kind,
    );

  test("roots are canonical and unique, and unusable roots are dropped with a warning", async () => {
    const warnings: string[] = [];
    const log = { warn: (message: string) => void warnings.push(message) };
    const configured = ["way-in", "code", "code/file", "gone"].map((path) => ({
      label: path,
      path: at(path),
    }));
    expect(await resolveRoots(disk, [...configured, { label: "r", path: "code" }], log)).toEqual([
      { label: "way-in", path: at("code") },
    ]);
    expect(warnings).toHaveLength(3);
  });

  test("roots on a disk that does not answer at the start are used once it does", async () => {
    const silent = async () => {
      throw new AppError("timed_out", "the disk does not answer");
    };
    const warnings: string[] = [];
    const log = { warn: (message: string) => void warnings.push(message) };
    const kept = await resolveRoots({ ...disk, readable: silent }, roots, log);
    expect(kept).toEqual(roots);
    expect(warnings).toHaveLength(roots.length);
    expect(await presentRoots({ ...disk, real: silent }, kept)).toEqual([]);
    expect(await presentRoots(disk, kept)).toEqual(roots);
    // A path with links allows nothing that is not in its own folder.
    const linked = [{ label: "way-in", path: at("way-in") }];
    const unread = await resolveRoots({ ...disk, readable: silent }, linked, log);
    expect(await presentRoots(disk, unread)).toEqual([]);
    expect(await verdict(at("way-in"), unread)).toBe("forbidden");
  });

  test("a listing sorts children without case, has each link once by its target, and no link out of the root", async () => {
    const listing = await look(at("code"));
    expect(listing).toEqual({
      path: at("code"),
      root: { label: "code", path: at("code") },
      parent: null,
      directories: [
        { name: ".hidden", path: at("code/.hidden") },
        { name: "alpha", path: at("code/alpha") },
        { name: "Beta", path: at("code/Beta") },
        { name: "linked", path: at("other/in") },
      ],
      truncated: false,
    });
    expect(await look(at("code/Beta/deep"))).toMatchObject({
      ...{ parent: at("code/Beta"), directories: [], truncated: false },
    });
  });

  test("a listing has at most 500 children, and says when there were more", async () => {
    const listing = await look(at("many"));
    expect(listing.directories).toHaveLength(MAX_CHILDREN);
    expect(listing.truncated).toBe(true);
    await rm(at("many/d77"), { recursive: true });
    expect((await look(at("many"))).truncated).toBe(false);
    await mkdir(at("many/d77"));
  });

  test("the innermost root is the root of a directory", async () => {
    const nested = [...roots, { label: "beta", path: at("code/Beta") }];
    const listing = await browse(disk, nested, await requireAllowed(disk, nested, at("code/Beta")));
    expect(listing.root.label).toBe("beta");
    expect(listing.parent).toBeNull();
  });

  test.each<[string, ErrorKind | "allowed"]>([
    ["code", "allowed"],
    ["code/", "allowed"],
    ["code/./alpha/../Beta//deep/", "allowed"],
    ["code/aaa/deep", "allowed"],
    ["code/../code-secret/../code", "allowed"],
    ["way-in/alpha", "allowed"],
    ["", "forbidden"],
    ["code-secret", "forbidden"],
    ["code/..", "forbidden"],
    ["code/../..", "forbidden"],
    ["code/../../../../../../../../etc", "forbidden"],
    ["code/escape", "forbidden"],
    ["code/escape/", "forbidden"],
    ["code/escape/.", "forbidden"],
    ["code/slash/etc", "forbidden"],
    ["code/slash/proc/self/root", "forbidden"],
    ["code/aaa/../../code-secret", "forbidden"],
    ["gone", "forbidden"],
    ["code-secret/gone", "forbidden"],
    ["code/escape/gone", "forbidden"],
    ["code/gone", "not_found"],
    ["code/gone/../../code-secret", "not_found"],
    ["code/file", "not_found"],
    ["code/file/..", "not_found"],
    ["code/dangling", "not_found"],
    ["code/．．/code-secret", "not_found"],
    ["code/%2e%2e/code-secret", "not_found"],
    ["code/~", "not_found"],
    ["code/$HOME", "not_found"],
    [`code/${"x".repeat(1000)}`, "not_found"],
    ["code\0/../code-secret", "invalid"],
    ["code/alpha\0", "invalid"],
    ["code/a\nb", "invalid"],
    ["x/".repeat(MAX_PATH_CHARS / 2), "invalid"],
  ])("below the test folder, path %p is %p", async (path, expected) => {
    expect(await verdict(`${folder}/${path}`)).toBe(expected);
  });

  test.each<[string, ErrorKind]>([
    ["", "invalid"],
    ["code", "invalid"],
    ["./code", "invalid"],
    ["~root", "invalid"],
    ["~root/", "invalid"],
    ["file:///etc", "invalid"],
    ["/proc/self/cwd", "forbidden"],
    ["/proc/self/fd/0", "forbidden"],
    ["//etc", "forbidden"],
  ])("path %p is %p", async (path, expected) => expect(await verdict(path)).toBe(expected));

  test("a path in a root that is gone is not_found, a path beside the root is forbidden", async () => {
    await mkdir(at("usb"));
    const inUsb = [...roots, { label: "usb", path: at("usb") }];
    const kind = (path: string) => verdict(at(path), inUsb);
    expect(await kind("usb")).toBe("allowed");
    await rm(at("usb"), { recursive: true });
    for (const path of ["usb", "usb/", "usb/a/b", "usb/a/../b"])
      expect(await kind(path)).toBe("not_found");
    for (const path of ["usb-secret", "usb/..", "usb/../code-secret", "usb/../gone", "gone"])
      expect(await kind(path)).toBe("forbidden");
    // A link in its place leads to a directory that is not allowed.
    await symlink(at("code-secret"), at("usb"));
    expect(await kind("usb")).toBe("forbidden");
    expect(await kind("usb/gone")).toBe("forbidden");
    await rm(at("usb"));
  });

  test("a directory that is replaced by a link after the check is not listed", async () => {
    await mkdir(at("code/swapped"));
    const allowed = await requireAllowed(disk, roots, at("code/swapped"));
    await rename(at("code/swapped"), at("code/was-swapped"));
    await symlink(folder, at("code/swapped"));
    expect(await browse(disk, roots, allowed).catch((error: AppError) => error.kind)).toBe(
      "not_found",
    );
    await rm(at("code/swapped"));
    await rm(at("code/was-swapped"), { recursive: true });
  });

  test("recent directories are in a root, unique by real path, ordered by path, and at most twenty", async () => {
    const panes = ["code/aaa", "code/Beta", "code-secret", "other/in", "gone", "code"].map(at);
    expect(await recentDirectories(disk, roots, panes)).toEqual([
      { name: "code", path: at("code"), root_label: "code" },
      { name: "Beta", path: at("code/Beta"), root_label: "code" },
      { name: "in", path: at("other/in"), root_label: "other" },
    ]);
    const many = Array.from({ length: 30 }, (_, index) => at(`many/d${index}`));
    expect(await recentDirectories(disk, roots, many)).toHaveLength(20);
  });
});
