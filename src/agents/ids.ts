import { sha256 } from "../lib/digest.ts";

/**
 * A UUID (version 8) that is made from words: what is read again gets the id that it had, so that
 * links and cursors of clients outlive a second import.
 */
export function uuidOf(...parts: readonly string[]): string {
  const digest = sha256(JSON.stringify(parts)).toString("hex");
  const variant = ((Number.parseInt(digest[16] ?? "0", 16) & 0x3) | 0x8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join("-");
}
