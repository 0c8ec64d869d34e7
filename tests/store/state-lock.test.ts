import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import type { PathLike } from "node:fs";
import * as files from "node:fs/promises";
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { JsonFile } from "../../src/lib/json-file.ts";
import { createLog } from "../../src/lib/log.ts";
import { findService, StateLock } from "../../src/store/state-lock.ts";
import { FakeClock } from "../support/clock.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const SOURCE = join(import.meta.dir, "../../src/store/state-lock.ts");
const ADDRESS = { host: "127.0.0.1", port: 8787 };
const TAKEN = "another panewatch";

let folder = "";
let path = "";
let note = "";
let lines: string[] = [];
const log = createLog((line) => lines.push(line));
const locks: StateLock[] = [];
const children: Bun.Subprocess[] = [];
beforeEach(async () => {
  folder = join(await temporary("lock"), "deep");
  path = join(folder, "panewatch.lock");
  note = `${path}.json`;
  lines = [];
});
afterEach(async () => {
  for (const lock of locks.splice(0)) await lock.release();
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    await child.exited;
  }
});

async function take(waitMs = 0): Promise<StateLock> {
  const lock = await StateLock.take(folder, { log, waitMs });
  locks.push(lock);
  return lock;
}

const found = () => findService(folder);
const own = { pid: process.pid, address: ADDRESS, secret: "s" };

/** Another process that holds the lock until it is killed. */
async function otherHolder() {
  const script = `
    const { StateLock } = await import(${JSON.stringify(SOURCE)});
    const lock = await StateLock.take(${JSON.stringify(folder)}, { log: console });
    await lock.tell(${JSON.stringify(ADDRESS)}, "s");
    setInterval(() => lock, 1000);`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  children.push(child);
  await until(async () => (await found())?.address);
  return child;
}

test("a lock is taken once, has its holder in a private file, and is free after release", async () => {
  const lock = await take();
  expect(await found()).toEqual({ pid: process.pid, address: null });
  await lock.tell(ADDRESS, "s");
  await expect(take()).rejects.toThrow(`${TAKEN} (pid ${process.pid}, port 8787) uses ${folder}`);
  expect(await found()).toEqual(own);
  expect((await readdir(folder)).sort()).toEqual(["panewatch.lock", "panewatch.lock.json"]);
  for (const file of [path, note]) expect((await stat(file)).mode & 0o777).toBe(0o600);
  await locks.pop()?.release();
  expect(await found()).toBeNull();
  await take();
});

test("findService creates no file", async () => {
  expect(await found()).toBeNull();
  await expect(readdir(folder)).rejects.toThrow("ENOENT");
});

test("a lock whose file was removed or replaced is lost, and a write under it is refused", async () => {
  const first = await take();
  const requireLock = () => first.require();
  const deps = { log, clock: new FakeClock(), requireLock };
  const file = new JsonFile(join(folder, "panewatch-messages.json"), deps);
  await file.write("of the first");
  await rename(path, `${path}.away`);
  await expect(first.require()).rejects.toThrow("start it again");
  const second = await take();
  await expect(file.write("of both")).rejects.toThrow("start it again");
  expect(await file.read()).toBe("of the first");
  await second.require();
  await second.tell(ADDRESS, "s");
  await first.release();
  expect(await found()).toEqual(own);
  await rm(`${path}.away`);
});

test("a lock whose file was replaced while it was waited for is lost", async () => {
  await take();
  const waiting = take(30_000);
  // This try comes after the first try of `waiting`.
  await expect(take()).rejects.toThrow(TAKEN);
  await rename(path, `${path}.away`);
  await writeFile(path, "");
  await locks.shift()?.release();
  await expect((await waiting).require()).rejects.toThrow("removed or replaced");
});

test("a lock whose file was removed while it was taken is lost", async () => {
  const removing = (file: PathLike) => rm(file);
  using _ = spyOn(files, "chmod").mockImplementation(removing);
  const lock = await take();
  await expect(lock.require()).rejects.toThrow("was removed or replaced");
});

test("a killed process no longer holds the lock", async () => {
  const child = await otherHolder();
  await expect(take()).rejects.toThrow(`(pid ${child.pid}, port 8787)`);
  expect(await found()).toEqual({ ...own, pid: child.pid });
  child.kill("SIGKILL");
  await child.exited;
  expect(await found()).toBeNull();
  await take();
});

test("take waits for a lock that is released in time", async () => {
  await take();
  const waiting = take(30_000);
  // This try comes after the first try of `waiting`.
  await expect(take()).rejects.toThrow(TAKEN);
  await locks.shift()?.release();
  await (await waiting).require();
});

test("a lock file with foreign contents can be taken, and only once", async () => {
  await mkdir(folder);
  await writeFile(path, Buffer.alloc(4096, 0xa5));
  await take();
  await expect(take()).rejects.toThrow(TAKEN);
});

test("the holder file is never written through a link", async () => {
  await mkdir(folder);
  const precious = join(folder, "precious");
  await writeFile(precious, "precious");
  await symlink(precious, note);
  await (await take()).tell(ADDRESS, "s");
  expect(await readFile(precious, "utf8")).toBe("precious");
  expect((await stat(note)).mode & 0o777).toBe(0o600);
});

test("a lock whose holder file cannot be written holds without it", async () => {
  await mkdir(note, { recursive: true });
  const lock = await take();
  await lock.tell(ADDRESS, "s");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("will not find this service");
  expect(await found()).toBeNull();
  await expect(take()).rejects.toThrow("another panewatch uses");
  await lock.require();
  await rmdir(note);
});

test("a state folder that cannot be locked is logged, and nothing may be sent", async () => {
  await mkdir(path, { recursive: true });
  const lock = await take();
  expect(lines.join()).toContain("nothing can be sent");
  await expect(lock.require()).rejects.toThrow("could not be locked");
  await rmdir(path);
  await expect(lock.require()).rejects.toThrow("start it again");
  await lock.tell(ADDRESS, "s");
  expect(await readdir(folder)).toEqual([]);
});

test("a folder that others may read is accepted", async () => {
  await mkdir(folder);
  await chmod(folder, 0o755);
  await (await take()).require();
});

test("a holder file without a lock, or malformed, names no holder", async () => {
  await mkdir(folder);
  await writeFile(note, JSON.stringify(own), { mode: 0o600 });
  expect(await found()).toBeNull();
  await writeFile(path, "", { mode: 0o600 });
  expect(await found()).toBeNull();
  await take();
  for (const text of ["", "{", "[]", '{"pid":"1"}']) {
    await writeFile(note, text);
    expect(await found()).toBeNull();
  }
});

test("a holder file of the wrong shape or of an ended process names no holder", async () => {
  await take();
  const { pid } = process;
  const holderOf = (value: unknown) => writeFile(note, JSON.stringify(value)).then(found);
  for (const holder of [{ pid, address: null }, own])
    expect(await holderOf(holder)).toEqual(holder);
  for (const address of [undefined, "x", {}, { host: "h" }, { port: 1 }, { host: 1, port: "h" }])
    expect(await holderOf({ pid, address, secret: "s" })).toBeNull();
  for (const secret of [undefined, 7])
    expect(await holderOf({ pid, address: ADDRESS, secret })).toBeNull();
  const ended = Bun.spawnSync(["true"]);
  for (const other of [null, 7, [], { address: null }]) expect(await holderOf(other)).toBeNull();
  expect(await holderOf({ pid: ended.pid, address: null })).toBeNull();
});

test("a holder is not believed if another user can write the lock or its holder file", async () => {
  await take();
  for (const file of [path, note]) {
    await chmod(file, 0o622);
    expect(await found()).toBeNull();
    await chmod(file, 0o600);
    expect(await found()).not.toBeNull();
  }
});
