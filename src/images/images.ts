import { randomUUID } from "node:crypto";
import { chmod, type FileHandle, lstat, open, readFile, rename, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { makePrivateDirectory } from "../lib/json-file.ts";
import { Mutex } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import { quoteWord } from "../lib/words.ts";
import { ImageType, MAX_IMAGE_BYTES, type UploadedImage } from "../protocol/images.ts";
import {
  detectImageType,
  expiresAt,
  EXTENSIONS,
  partialName,
  Quota,
  SIGNATURE_BYTES,
  sweepImages,
} from "./files.ts";

/** Below the state directory. */
export const UPLOADS_FOLDER = "uploads";
const IMAGE_QUOTA_BYTES = 200 * 1024 * 1024;
const SWEEP_EVERY_MS = 60 * 60 * 1000;
const PRIVATE_FOLDER = 0o700;

export interface ImagesDeps {
  /** `{state_dir}/uploads` */
  folder: string;
  clock: Pick<Clock, "now">;
  log: Pick<Log, "warn">;
  quotaBytes?: number;
}

interface IncomingImage {
  /** The content type as it was declared, or null. */
  type: string | null;
  /** The length as it was declared, or null. */
  bytes: number | null;
  body: ReadableStream<Uint8Array> | null;
}

export class Images {
  readonly #deps: ImagesDeps;
  readonly #folder: string;
  readonly #quota: Quota;
  readonly #lock = new Mutex();
  readonly #running = new Set<string>();
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(deps: ImagesDeps) {
    this.#deps = deps;
    this.#folder = resolve(deps.folder);
    this.#quota = new Quota(deps.quotaBytes ?? IMAGE_QUOTA_BYTES);
  }

  /**
   * The bytes of an image that was received, which is not kept here any longer.
   * @throws AppError storage
   */
  async take({ path }: Pick<UploadedImage, "path">): Promise<Uint8Array> {
    try {
      return await readFile(path);
    } catch (cause) {
      throw storageUnavailable(cause);
    } finally {
      await this.#discard(basename(path));
    }
  }

  /** Cleans up now and every hour. A folder that cannot be used is logged, not fatal. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#cleanUp(), SWEEP_EVERY_MS);
    this.#timer.unref();
    await this.#cleanUp();
  }

  /** Running uploads end with the process: their files are removed now, not at the next start. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await Promise.all([...this.#running].map((partial) => this.#discard(partial)));
  }

  /** @throws AppError unsupported_media, too_large, storage; nothing stays on disk then */
  async receive({ type: declared, bytes, body }: IncomingImage): Promise<UploadedImage> {
    const type = parseType(declared);
    if (bytes !== null && bytes > MAX_IMAGE_BYTES) throw tooLarge();
    if (type === null || body === null || bytes === 0) throw unsupported();
    const upload = new Upload(this.#quota, this.#folder);
    this.#running.add(upload.partial);
    try {
      await this.#measure();
      await upload.write(type, bytes ?? 0, body);
      return await this.#keep(upload, type);
    } catch (error) {
      await body.cancel().catch(() => undefined);
      await this.#discard(upload.partial);
      throw error;
    } finally {
      upload.release();
      this.#running.delete(upload.partial);
    }
  }

  // Under the lock, so that a measurement counts a file either as running or as stored.
  #keep(upload: Upload, type: ImageType): Promise<UploadedImage> {
    return this.#lock.run(async () => {
      const path = join(this.#folder, `${upload.hex}.${EXTENSIONS[type]}`);
      try {
        await rename(join(this.#folder, upload.partial), path);
        const { size, mtimeMs } = await lstat(path);
        this.#quota.stored(size);
        return {
          id: upload.id,
          path,
          terminal_text: quoteWord(path),
          mime_type: type,
          size,
          expires_at: expiresAt(mtimeMs),
        };
      } catch (cause) {
        throw storageUnavailable(cause);
      }
    });
  }

  async #discard(partial: string): Promise<void> {
    try {
      await rm(join(this.#folder, partial), { force: true });
    } catch (error) {
      this.#deps.log.warn(`a partial upload cannot be removed: ${String(error)}`);
    }
  }

  async #cleanUp(): Promise<void> {
    try {
      await this.#measure();
    } catch (error) {
      const cause = error instanceof AppError ? error.cause : error;
      this.#deps.log.warn(`uploaded images cannot be cleaned up: ${String(cause)}`);
    }
  }

  #measure(): Promise<void> {
    return this.#lock.run(async () => {
      try {
        await requirePrivateFolder(this.#folder);
        this.#quota.measured(
          await sweepImages(this.#folder, this.#deps.clock.now(), this.#running),
        );
      } catch (cause) {
        throw storageUnavailable(cause);
      }
    });
  }
}

function parseType(declared: string | null): ImageType | null {
  const essence = declared?.split(";")[0]?.trim().toLowerCase();
  return ImageType.safeParse(essence).data ?? null;
}

async function requirePrivateFolder(folder: string): Promise<void> {
  await makePrivateDirectory(folder);
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new Error(`${folder} is a link or no directory`);
  if ((found.mode & 0o777) !== PRIVATE_FOLDER) await chmod(folder, PRIVATE_FOLDER);
}

const PRIVATE_FILE = 0o600;

class Upload {
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

function storageUnavailable(cause: unknown): AppError {
  return new AppError("storage", "temporary image storage is unavailable", undefined, { cause });
}

function tooLarge(): AppError {
  return new AppError("too_large", "image exceeds the 20 MiB limit");
}

function unsupported(): AppError {
  return new AppError("unsupported_media", "supported images are PNG, JPEG, WebP, and GIF");
}
