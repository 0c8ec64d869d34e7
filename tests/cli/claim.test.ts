import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claimStateDir, findService, tellHolder } from "../../src/cli/claim.ts";
import { createLog } from "../../src/lib/log.ts";

let folder = "";
let lines: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "panewatch-claim-"));
  lines = [];
});
afterEach(() => rm(folder, { recursive: true }));
const log = createLog((line) => lines.push(line));

test("the lock of a full disk holds without a note of who has it", async () => {
  await symlink("/dev/full", join(folder, "panewatch.lock.json"));
  const lock = await claimStateDir(folder, { log });
  await tellHolder(lock, { address: { host: "127.0.0.1", port: 8787 } }, log);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("will not find this service");
  expect(await findService(folder)).toBeNull();
  await expect(claimStateDir(folder, { log, waitMs: 0 })).rejects.toThrow("another panewatch uses");
  await lock?.release();
  const next = await claimStateDir(folder, { log, waitMs: 0 });
  expect(await findService(folder)).toEqual({ pid: process.pid, address: null });
  await next?.release();
});
