import type { ImageType } from "../protocol/images.ts";

/** As many first bytes as the longest signature needs. */
export const SIGNATURE_BYTES = 12;

export const EXTENSIONS = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
} as const satisfies Record<ImageType, string>;

/** What the first bytes of a file say it is. */
export function detectImageType(head: Uint8Array): ImageType | null {
  const text = Buffer.from(head.subarray(0, SIGNATURE_BYTES)).toString("latin1");
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "image/gif";
  if (text.startsWith("RIFF") && text.slice(8) === "WEBP") return "image/webp";
  return null;
}
