import { chmod, lstat, readFile, rename, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { makePrivateDirectory } from "../lib/json-file.ts";
import { Mutex } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import { quoteWord } from "../lib/words.ts";
import { ImageType, MAX_IMAGE_BYTES, type UploadedImage } from "../protocol/images.ts";
import { expiresAt, EXTENSIONS, Quota, sweep } from "./files.ts";
import { storageUnavailable, tooLarge, unsupported, Upload } from "./upload.ts";

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

export interface IncomingImage {
  /** The content type as it was declared, or null. */
  type: string | null;
  /** The length as it was declared, or null. */
  bytes: number | null;
  body: ReadableStream<Uint8Array> | null;
}

/** Images on their way to a program in a pane: private files that live for a day. */
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
        this.#quota.measured(await sweep(this.#folder, this.#deps.clock.now(), this.#running));
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
