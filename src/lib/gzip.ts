import { promisify } from "node:util";

/**
 * At the fastest level, which leaves a tenth of terminal text and JSON. The library is loaded at the
 * first use: no start needs it.
 */
export async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const zlib = await import("node:zlib");
  return promisify(zlib.gzip)(text, { level: 1 });
}
