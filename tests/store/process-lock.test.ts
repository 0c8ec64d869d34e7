import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findHolder, ProcessLock } from "../../src/store/process-lock.ts";
import { until } from "../support/until.ts";
import { temporary } from "../support/temporary.ts";

const SOURCE = join(import.meta.dir, "../../src/store/process-lock.ts");
const ADDRESS = { host: "127.0.0.1", port: 8787 };
const LISTENING = { address: ADDRESS, secret: "s" };

let folder = "";
let path = "";
const locks: ProcessLock[] = [];
const children: Bun.Subprocess[] = [];
beforeEach(async () => {
  folder = await temporary("lock");
  path = join(folder, "deep", "x.lock");
});
afterEach(async () => {
  for (const lock of locks.splice(0)) await lock.release();
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    await child.exited;
  }
});

async function take(waitMs = 0): Promise<ProcessLock> {
  const lock = await ProcessLock.take(path, waitMs);
  if (lock === "taken") throw new Error("it is taken");
  locks.push(lock);
  return lock;
}

/** Another process that holds the lock until it is killed. */
async function otherHolder() {
  const script = `
    const { ProcessLock } = await import(${JSON.stringify(SOURCE)});
    const lock = await ProcessLock.take(${JSON.stringify(path)}, 0);
    await lock.tell({ pid: process.pid, address: ${JSON.stringify(ADDRESS)}, secret: "s" });
    setInterval(() => lock, 1000);`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  children.push(child);
  await until(() => findHolder(path));
  return child;
}

test("a lock is taken once, has its holder in a private file, and is free after release", async () => {
  const lock = await take();
  await lock.tell({ pid: process.pid, ...LISTENING });
  expect(await ProcessLock.take(path, 0)).toBe("taken");
  expect(await findHolder(path)).toEqual({ pid: process.pid, ...LISTENING });
  expect((await readdir(join(folder, "deep"))).sort()).toEqual(["x.lock", "x.lock.json"]);
  for (const name of ["x.lock", "x.lock.json"])
    expect((await stat(join(folder, "deep", name))).mode & 0o777).toBe(0o600);
  await locks.pop()?.release();
  expect(await findHolder(path)).toBeNull();
  await take();
});

test("findHolder creates no file", async () => {
  expect(await findHolder(path)).toBeNull();
  expect(await readdir(folder)).toEqual([]);
});

test("a lock whose file was removed is not in place, and its release leaves the next lock alone", async () => {
  const lost = await take();
  expect(lost.isInPlace()).toBe(true);
  await rm(path);
  expect(lost.isInPlace()).toBe(false);
  const next = await take();
  await next.tell({ pid: process.pid, ...LISTENING });
  await lost.release();
  expect(await findHolder(path)).toEqual({ pid: process.pid, ...LISTENING });
});

test("a killed process no longer holds the lock", async () => {
  const child = await otherHolder();
  expect(await ProcessLock.take(path, 0)).toBe("taken");
  expect(await findHolder(path)).toEqual({ pid: child.pid, ...LISTENING });
  child.kill("SIGKILL");
  await child.exited;
  expect(await findHolder(path)).toBeNull();
  await take();
});

test("take waits for a lock that is released in time", async () => {
  await take();
  const waiting = take(30_000);
  // This try comes after the first try of `waiting`.
  expect(await ProcessLock.take(path, 0)).toBe("taken");
  await locks.shift()?.release();
  await waiting;
});

test("a lock file with foreign contents can be taken, and only once", async () => {
  await mkdir(join(folder, "deep"));
  await writeFile(path, Buffer.alloc(4096, 0xa5));
  await take();
  expect(await ProcessLock.take(path, 0)).toBe("taken");
});

test("a holder file without a lock, or malformed, names no holder", async () => {
  const lock = await take();
  await lock.tell({ pid: process.pid, ...LISTENING });
  locks.pop()?.close();
  expect(await findHolder(path)).toBeNull();
  await take();
  for (const text of ["", "{", "[]", '{"pid":"1"}']) {
    await writeFile(`${path}.json`, text);
    expect(await findHolder(path)).toBeNull();
  }
});

test("a folder that others may read is accepted, a file in its place is refused", async () => {
  await chmod(folder, 0o755);
  await take();
  await writeFile(join(folder, "file"), "");
  await expect(ProcessLock.take(join(folder, "file", "x.lock"), 0)).rejects.toThrow();
});

test("a holder file of the wrong shape or of an ended process names no holder", async () => {
  await otherHolder();
  const { pid } = process;
  const holderOf = (value: unknown) =>
    writeFile(`${path}.json`, JSON.stringify(value)).then(() => findHolder(path));
  for (const holder of [
    { pid, address: null },
    { pid, ...LISTENING },
  ])
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
  await otherHolder();
  for (const file of [path, `${path}.json`]) {
    await chmod(file, 0o622);
    expect(await findHolder(path)).toBeNull();
    await chmod(file, 0o600);
    expect(await findHolder(path)).not.toBeNull();
  }
});
