import { randomUUID } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import { type ImageType, MAX_IMAGE_BYTES } from "../protocol/images.ts";
import { detectImageType, partialName, type Quota, SIGNATURE_BYTES } from "./files.ts";

const PRIVATE_FILE = 0o600;

export class Upload {
  readonly id = randomUUID();
  readonly hex = this.id.replaceAll("-", "");
  readonly partial = partialName(this.hex);
  readonly #quota: Quota;
  readonly #path: string;
  #reserved = 0;
  #size = 0;
  #head: Uint8Array = new Uint8Array();

  constructor(quota: Quota, folder: string) {
    this.#quota = quota;
    this.#path = join(folder, this.partial);
  }

  async write(
    type: ImageType,
    declaredBytes: number,
    body: ReadableStream<Uint8Array>,
  ): Promise<void> {
    this.#reserve(declaredBytes);
    const file = await storage(open(this.#path, "wx", PRIVATE_FILE));
    try {
      for await (const chunk of arriving(body)) {
        this.#size += chunk.length;
        if (this.#size > MAX_IMAGE_BYTES) throw tooLarge();
        this.#check(type, chunk);
        this.#reserve(this.#size);
        await storage(writeAll(file, chunk));
      }
      if (detectImageType(this.#head) !== type) throw unsupported();
    } finally {
      await storage(file.close());
    }
  }

  release(): void {
    this.#quota.release(this.#reserved);
    this.#reserved = 0;
  }

  /** Raises the reservation to `bytes`. */
  #reserve(bytes: number): void {
    if (bytes <= this.#reserved) return;
    this.#quota.reserve(bytes - this.#reserved);
    this.#reserved = bytes;
  }

  /** Refuses as soon as the first bytes are not those of the declared type. */
  #check(type: ImageType, chunk: Uint8Array): void {
    if (this.#head.length === SIGNATURE_BYTES) return;
    const missing = SIGNATURE_BYTES - this.#head.length;
    this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
    if (this.#head.length === SIGNATURE_BYTES && detectImageType(this.#head) !== type)
      throw unsupported();
  }
}

/** The body's chunks; a client that disconnects is an expected end, not a fault of ours. */
async function* arriving(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    while (true) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new AppError("invalid", "the upload was cancelled", undefined, { cause });
      });
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
}

async function storage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw storageUnavailable(cause);
  }
}

export function storageUnavailable(cause: unknown): AppError {
  return new AppError("storage", "temporary image storage is unavailable", undefined, { cause });
}

export function tooLarge(): AppError {
  return new AppError("too_large", "image exceeds the 20 MiB limit");
}

export function unsupported(): AppError {
  return new AppError("unsupported_media", "supported images are PNG, JPEG, WebP, and GIF");
}
