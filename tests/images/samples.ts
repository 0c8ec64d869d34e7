import type { ImageType } from "../../src/protocol/input.ts";

const HEADS = {
  "image/png": "\x89PNG\r\n\x1a\n",
  "image/jpeg": "\xff\xd8\xff\xe0",
  "image/webp": "RIFF\x10\0\0\0WEBPVP8 ",
  "image/gif": "GIF89a",
} as const satisfies Record<ImageType, string>;

/** Bytes that begin like an image of this type. */
export function sample(type: ImageType, bytes = 64): Uint8Array<ArrayBuffer> {
  const image = new Uint8Array(bytes);
  image.set(Buffer.from(HEADS[type], "latin1").subarray(0, bytes));
  return image;
}

/** A body that arrives in pieces of the given size. */
export function arriving(
  bytes: Uint8Array<ArrayBuffer>,
  pieceBytes: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, (at += pieceBytes)));
    },
  });
}
