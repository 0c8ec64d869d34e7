import { randomUUID } from "node:crypto";
import {
  chmod,
  type FileHandle,
  lstat,
  open,
  readdir,
  readFile,
  rename,
  rm,
} from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { makePrivateDirectory } from "../lib/json-file.ts";
import { Semaphore } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import { quoteWord } from "../lib/words.ts";
import { ImageType, MAX_IMAGE_BYTES, type UploadedImage } from "../protocol/input.ts";
import type { Handlers, RequestFacts, Slice } from "../slice.ts";

const UPLOADS_FOLDER = "uploads";
const IMAGE_QUOTA_BYTES = 200 * 1024 * 1024;
const SWEEP_EVERY_MS = 60 * 60 * 1000;
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

interface ImagesDeps {
  folder: string;
  clock: Pick<Clock, "now">;
  log: Pick<Log, "warn">;
  quotaBytes?: number;
}

interface IncomingImage extends Pick<RequestFacts, "onBodyPart" | "onBodyRead"> {
  /** As declared. */
  type: string | null;
  bytes: number | null;
  body: ReadableStream<Uint8Array> | null;
}

/** Raises the reservation of an upload to so many bytes. @throws AppError storage */
type Reserve = (bytes: number) => void;

export class Images {
  readonly #deps: ImagesDeps;
  readonly #folder: string;
  readonly #lock = new Semaphore(1);
  readonly #running = new Set<string>();
  /** Bytes on the disk and bytes reserved for running uploads: together they stay below the quota. */
  #stored = 0;
  #reserved = 0;
  #timer: Timer | null = null;

  constructor(deps: ImagesDeps) {
    this.#deps = deps;
    this.#folder = resolve(deps.folder);
  }

  /** Reads an image and deletes it here. @throws AppError storage */
  async take({ path }: Pick<UploadedImage, "path">): Promise<Uint8Array> {
    return storage(readFile(path)).finally(() => this.#discard(basename(path)));
  }

  /** Cleans up now and every hour. A folder that cannot be used is logged. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#cleanUp(), SWEEP_EVERY_MS);
    this.#timer.unref();
    await this.#cleanUp();
  }

  /** Removes the files of running uploads, which end with the process. */
  async stop(): Promise<void> {
    clearInterval(this.#timer ?? undefined);
    await Promise.all([...this.#running].map((partial) => this.#discard(partial)));
  }

  /** @throws AppError unsupported_media, too_large, storage: nothing stays on the disk then */
  async receive({ type: declared, bytes, body, ...facts }: IncomingImage): Promise<UploadedImage> {
    const essence = declared?.split(";")[0]?.trim().toLowerCase();
    const type = ImageType.safeParse(essence).data;
    if (bytes !== null && bytes > MAX_IMAGE_BYTES) throw tooLarge();
    if (type === undefined || body === null || bytes === 0) throw unsupported();
    const id = randomUUID();
    const partial = `.${id.replaceAll("-", "")}.part`;
    let reserved = 0;
    const reserve: Reserve = (wanted) => {
      const more = Math.max(0, wanted - reserved);
      const { quotaBytes = IMAGE_QUOTA_BYTES } = this.#deps;
      if (this.#stored + this.#reserved + more > quotaBytes)
        throw new AppError("storage", "temporary image upload quota exceeded");
      this.#reserved += more;
      reserved += more;
    };
    this.#running.add(partial);
    try {
      await this.#measure();
      reserve(bytes ?? 0);
      await writeImage(join(this.#folder, partial), type, body, (size) => {
        facts.onBodyPart?.();
        reserve(size);
      });
      facts.onBodyRead?.();
      return await this.#keep(id, partial, type);
    } catch (error) {
      await body.cancel().catch(() => undefined);
      await this.#discard(partial);
      throw error;
    } finally {
      this.#reserved -= reserved;
      this.#running.delete(partial);
    }
  }

  // Under the lock: a measurement counts a file either as running or as stored.
  #keep(id: string, partial: string, type: ImageType): Promise<UploadedImage> {
    return this.#lock.run(async () => {
      const path = join(this.#folder, `${id.replaceAll("-", "")}.${EXTENSIONS[type]}`);
      await storage(rename(join(this.#folder, partial), path));
      const { size, mtimeMs } = await storage(lstat(path));
      this.#stored += size;
      const expires_at = expiresAt(mtimeMs);
      return { id, path, terminal_text: quoteWord(path), mime_type: type, size, expires_at };
    });
  }

  async #discard(name: string): Promise<void> {
    try {
      await rm(join(this.#folder, name), { force: true });
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
      await storage(requirePrivateFolder(this.#folder));
      const now = this.#deps.clock.now();
      this.#stored = await storage(sweepImages(this.#folder, now, this.#running));
    });
  }
}

interface ImagesSliceDeps extends Omit<ImagesDeps, "folder"> {
  stateDir: string;
  machineOf: ImageMachineOf;
}

type ImageMachineOf = (paneId: string) => ImageTarget | null;

interface ImageTarget {
  /** @throws AppError conflict while the machine is away */
  requireLive(): void;
  /** @returns its path there. @throws AppError conflict, storage */
  putImage(image: { name: string; bytes: Uint8Array }): Promise<string>;
}

export function imagesSlice({ stateDir, machineOf, ...deps }: ImagesSliceDeps): Slice {
  const images = new Images({ ...deps, folder: join(stateDir, UPLOADS_FOLDER) });
  return {
    name: "images",
    routes: imageRoutes(images, machineOf),
    start: () => images.start(),
    stop: () => images.stop(),
  };
}

export function imageRoutes(
  images: Pick<Images, "receive" | "take">,
  machineOf: ImageMachineOf,
): Handlers {
  return {
    "POST /api/images": async (c) => {
      // First, so that refusals carry it too.
      c.header("Cache-Control", "no-store");
      const machine = machineOf(c.req.valid("query").id);
      machine?.requireLive();
      const length = c.req.header("content-length") ?? "";
      const image = await images.receive({
        ...c.env,
        type: c.req.header("content-type") ?? null,
        bytes: /^\d+$/.test(length) ? Number(length) : null,
        body: c.req.raw.body,
      });
      if (machine === null) return c.json(image, 201);
      const bytes = await images.take(image);
      const path = await machine.putImage({ name: basename(image.path), bytes });
      return c.json({ ...image, path, terminal_text: quoteWord(path) }, 201);
    },
  };
}

async function requirePrivateFolder(folder: string): Promise<void> {
  await makePrivateDirectory(folder);
  const stats = await lstat(folder);
  if (!stats.isDirectory()) throw new Error(`${folder} is a link or no directory`);
  if ((stats.mode & 0o777) !== PRIVATE_FOLDER) await chmod(folder, PRIVATE_FOLDER);
}

/** Refuses a file as soon as its first bytes do not fit the declared type. */
async function writeImage(
  path: string,
  type: ImageType,
  body: ReadableStream<Uint8Array>,
  reserve: Reserve,
): Promise<void> {
  const file = await storage(open(path, "wx", PRIVATE_FILE));
  let head: Uint8Array = new Uint8Array();
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_IMAGE_BYTES) throw tooLarge();
      head = Buffer.concat([head, chunk.subarray(0, SIGNATURE_BYTES - head.length)]);
      if (head.length === SIGNATURE_BYTES && detectImageType(head) !== type) throw unsupported();
      reserve(size);
      await storage(writeAll(file, chunk));
    }
    if (detectImageType(head) !== type) throw unsupported();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    // A client may disconnect, which is no fault of the service.
    throw new AppError("invalid", "the upload was cancelled", undefined, { cause });
  } finally {
    await storage(file.close());
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
}

async function storage<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw new AppError("storage", "temporary image storage is unavailable", undefined, { cause });
  });
}

function tooLarge(): AppError {
  return new AppError("too_large", "image exceeds the 20 MiB limit");
}

function unsupported(): AppError {
  return new AppError("unsupported_media", "supported images are PNG, JPEG, WebP, and GIF");
}

export const IMAGE_LIFETIME_SECONDS = 24 * 60 * 60;

const EXTENSIONS = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
} as const satisfies Record<ImageType, string>;

const IMAGE_NAME = new RegExp(`^[0-9a-f]{32}\\.(${Object.values(EXTENSIONS).join("|")})$`);
const PARTIAL_NAME = /^\.[0-9a-f]{32}\.part$/;

/** Never a foreign file. @returns the bytes that stay, running uploads aside */
async function sweepImages(
  folder: string,
  now: number,
  running: ReadonlySet<string>,
): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) {
    if (running.has(name)) continue;
    const path = join(folder, name);
    // Null: renamed or removed since the folder was read.
    const file = await lstat(path).catch(() => null);
    if (file === null || file.isDirectory()) continue;
    if (PARTIAL_NAME.test(name) || (IMAGE_NAME.test(name) && expiresAt(file.mtimeMs) <= now))
      await rm(path, { force: true });
    else if (file.isFile()) bytes += file.size;
  }
  return bytes;
}

function expiresAt(mtimeMs: number): number {
  return Math.floor(mtimeMs / 1000 + IMAGE_LIFETIME_SECONDS);
}

const SIGNATURE_BYTES = 12;

export function detectImageType(head: Uint8Array): ImageType | null {
  const text = Buffer.from(head.subarray(0, SIGNATURE_BYTES)).toString("latin1");
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "image/gif";
  if (text.startsWith("RIFF") && text.slice(8) === "WEBP") return "image/webp";
  return null;
}
