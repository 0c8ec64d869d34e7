import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { stateDirOf } from "../config/state-dir.ts";
import { NAMES_FILE } from "../naming/cache.ts";
import type { Flags } from "./arguments.ts";
import { configPathOf } from "./serve.ts";

/** Forgets the names that a model gave; a running service notices within seconds. */
export async function clearNames(flags: Flags): Promise<number> {
  const stateDir = stateDirOf({ configPath: configPathOf(flags), home: homedir() });
  const path = join(stateDir, NAMES_FILE);
  await rm(path, { force: true });
  process.stdout.write(`no saved names in ${path}\n`);
  return 0;
}
