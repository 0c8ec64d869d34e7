import { beforeEach, expect, test } from "bun:test";
import { mkdir, readFile, rename, rm, rmdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lockStateDir, findService, requireLock, writeHolder } from "../../src/cli/state-lock.ts";
import { JsonFile } from "../../src/lib/json-file.ts";
import { createLog } from "../../src/lib/log.ts";
import { FakeClock } from "../support/clock.ts";
import { temporary } from "../support/temporary.ts";

let folder = "";
let lines: string[] = [];
beforeEach(async () => {
  folder = await temporary("claim");
  lines = [];
});
const log = createLog((line) => lines.push(line));

const HOLDER = { address: { host: "127.0.0.1", port: 8787 }, secret: "of this run" };

test("the holder file is never written through a link", async () => {
  const [precious, note] = [join(folder, "precious"), join(folder, "panewatch.lock.json")];
  await writeFile(precious, "precious");
  await symlink(precious, note);
  const lock = await lockStateDir(folder, { log });
  await writeHolder(lock, HOLDER, log);
  expect(await readFile(precious, "utf8")).toBe("precious");
  expect((await stat(note)).mode & 0o777).toBe(0o600);
  await lock?.release();
});

test("a state lock whose holder file cannot be written holds without it", async () => {
  const note = join(folder, "panewatch.lock.json");
  await mkdir(note);
  const lock = await lockStateDir(folder, { log });
  await writeHolder(lock, HOLDER, log);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("will not find this service");
  expect(await findService(folder)).toBeNull();
  await expect(lockStateDir(folder, { log, waitMs: 0 })).rejects.toThrow("another panewatch uses");
  await rmdir(note);
  await lock?.release();
  const next = await lockStateDir(folder, { log, waitMs: 0 });
  expect(await findService(folder)).toEqual({ pid: process.pid, address: null });
  await next?.release();
});

test("a state lock whose file was removed or replaced is lost, and a write under it is refused", async () => {
  const path = join(folder, "panewatch.lock");
  const first = await lockStateDir(folder, { log });
  const requireFirst = requireLock(first);
  const deps = { log, clock: new FakeClock(), requireLock: requireFirst };
  const file = new JsonFile(join(folder, "panewatch-messages.json"), deps);
  await file.write("of the first");
  await rename(path, `${path}.away`);
  await expect(requireFirst()).rejects.toThrow("start it again");
  const second = await lockStateDir(folder, { log, waitMs: 0 });
  await expect(file.write("of both")).rejects.toThrow("start it again");
  expect(await file.read()).toBe("of the first");
  await requireLock(second)();
  await first?.release();
  expect(await findService(folder)).not.toBeNull();
  await second?.release();
  await rm(`${path}.away`);
});

test("a state folder that cannot be locked is logged, and nothing may be sent", async () => {
  const path = join(folder, "panewatch.lock");
  await mkdir(path);
  const lock = await lockStateDir(folder, { log });
  expect(lock).toBeNull();
  expect(lines.join()).toContain("nothing can be sent");
  await expect(requireLock(lock)()).rejects.toThrow("could not be locked");
  await rmdir(path);
  await expect(requireLock(lock)()).rejects.toThrow("start it again");
});
