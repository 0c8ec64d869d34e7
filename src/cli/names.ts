import { rm } from "node:fs/promises";
import { join } from "node:path";
import { NAMES_FILE } from "../naming/cache.ts";
import type { Typed } from "../config/resolve.ts";
import { stateDirFor } from "./state-dir.ts";

/** Forgets the names that a model gave; a running service notices within seconds. */
export async function clearNames(flags: Typed): Promise<string> {
  const path = join(stateDirFor(flags), NAMES_FILE);
  await rm(path, { force: true });
  return `no saved names in ${path}\n`;
}
