import { onTestFinished } from "bun:test";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A folder for the test that runs, or that a `beforeEach` prepares. It is removed after every
 * `afterEach`; what still writes into it then fails the test. `behind`: `afterAll` for a folder of
 * the whole file.
 */
export async function temporary(name: string, behind = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), `panewatch-${name}-`));
  behind(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
