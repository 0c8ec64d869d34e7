import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ImageType } from "../protocol/images.ts";

export const IMAGE_LIFETIME_SECONDS = 24 * 60 * 60;

export const EXTENSIONS = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
} as const satisfies Record<ImageType, string>;

const IMAGE_NAME = new RegExp(`^[0-9a-f]{32}\\.(${Object.values(EXTENSIONS).join("|")})$`);
const PARTIAL_NAME = /^\.[0-9a-f]{32}\.part$/;

/** Never a foreign file. @returns the bytes that stay, running uploads aside */
export async function sweepImages(
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

export const SIGNATURE_BYTES = 12;

export function detectImageType(head: Uint8Array): ImageType | null {
  const text = Buffer.from(head.subarray(0, SIGNATURE_BYTES)).toString("latin1");
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "image/gif";
  if (text.startsWith("RIFF") && text.slice(8) === "WEBP") return "image/webp";
  return null;
}
