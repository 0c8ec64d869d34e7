import { rename } from "node:fs/promises";
import { basename } from "node:path";
import { exists } from "./exists.ts";

export interface AsideOptions {
  /** Epoch seconds. */
  now: number;
  /** Suffixes of files that belong to it, such as `-wal`; absent ones are skipped. */
  companions?: readonly string[];
}

/**
 * Renames a file that was read and does not parse to `NAME.corrupt-<epoch>`, never over an earlier
 * one. Gives the new name, without its folder.
 */
export async function moveAside(path: string, options: AsideOptions): Promise<string> {
  const { now, companions = [] } = options;
  let epoch = Math.floor(now);
  while (await exists(`${path}.corrupt-${epoch}`)) epoch++;
  const aside = `${path}.corrupt-${epoch}`;
  // Companions first: one left beside a new file would be taken for that file's own.
  for (const companion of companions)
    if (await exists(path + companion)) await rename(path + companion, aside + companion);
  await rename(path, aside);
  return basename(aside);
}
