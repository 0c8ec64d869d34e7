import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { EXTENSIONS } from "./signature.ts";

export const IMAGE_LIFETIME_SECONDS = 24 * 60 * 60;

const IMAGE_NAME = new RegExp(`^[0-9a-f]{32}\\.(${Object.values(EXTENSIONS).join("|")})$`);
const PARTIAL_NAME = /^\.[0-9a-f]{32}\.part$/;

export function partialName(hex: string): string {
  return `.${hex}.part`;
}

/**
 * Removes expired images and partial files of uploads that no longer run, never a foreign file.
 * @returns the bytes that stay, running uploads aside
 */
export async function sweep(
  folder: string,
  now: number,
  running: ReadonlySet<string>,
): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) {
    if (running.has(name)) continue;
    const path = join(folder, name);
    const file = await lstat(path).catch(() => null);
    // The file may have been renamed or removed since the folder was read.
    if (file === null) continue;
    if (file.isDirectory()) continue;
    if (PARTIAL_NAME.test(name) || (IMAGE_NAME.test(name) && isExpired(file.mtimeMs, now)))
      await rm(path, { force: true });
    else if (file.isFile()) bytes += file.size;
  }
  return bytes;
}

export function expiresAt(mtimeMs: number): number {
  return Math.floor(mtimeMs / 1000 + IMAGE_LIFETIME_SECONDS);
}

function isExpired(mtimeMs: number, now: number): boolean {
  return mtimeMs / 1000 + IMAGE_LIFETIME_SECONDS <= now;
}
