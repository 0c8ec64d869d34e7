import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { AppError } from "../../src/errors.ts";
import {
  detectImageType,
  IMAGE_LIFETIME_SECONDS,
  imageRoutes,
  Images,
} from "../../src/images/images.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { ImageType, MAX_IMAGE_BYTES, UploadedImage } from "../../src/protocol/input.ts";
import { becomes } from "../support/becomes.ts";
import { causesOf } from "../../src/lib/log.ts";
import { routed } from "../support/routed.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { arriving, sample } from "./samples.ts";

const MIB = 1024 * 1024;
let state: string;
let folder: string;
let warnings: string[];
let images: Images;

function open(quotaBytes?: number, now = systemClock.now): Images {
  return new Images({
    folder,
    clock: { now },
    log: { warn: (message) => void warnings.push(message) },
    ...(quotaBytes ? { quotaBytes } : {}),
  });
}
const png = (bytes: number, declared: number | null = bytes) => ({
  type: "image/png",
  bytes: declared,
  body: arriving(sample("image/png", bytes), MIB),
});
type Sent = Parameters<Images["receive"]>[0];
/** An upload whose first piece has arrived; `then` sends or ends the rest. */
const startedUpload = (then: (rest: ReadableStreamDefaultController) => Promise<void>): Sent => ({
  ...{ type: "image/png", bytes: null },
  body: new ReadableStream({
    async pull(controller) {
      controller.enqueue(sample("image/png"));
      await then(controller);
    },
  }),
});
/** "stored", or the refusal. */
const fate = (sent: Sent) =>
  images.receive(sent).then(
    () => "stored",
    (error: AppError) => `${error.kind}: ${error.message}`,
  );
const TOO_LARGE = "too_large: image exceeds the 20 MiB limit";
const UNSUPPORTED = "unsupported_media: supported images are PNG, JPEG, WebP, and GIF";
const QUOTA = "storage: temporary image upload quota exceeded";
const UNAVAILABLE = "storage: temporary image storage is unavailable";

beforeEach(async () => {
  state = await temporary("images' ");
  folder = join(state, "uploads");
  warnings = [];
  images = open();
});
afterEach(() => images.stop());

describe("a stored image", () => {
  test.each(ImageType.options)("a stored %s is private, whole and described", async (type) => {
    const bytes = crypto.getRandomValues(sample(type, 5_000).subarray(100)).buffer;
    const content = new Uint8Array(bytes);
    content.set(sample(type, 100));
    const stored = await images.receive({
      type: `${type.toUpperCase()}; q=1`,
      bytes: content.length,
      body: arriving(content, 7),
    });
    UploadedImage.strict().parse(stored);
    expect(await Bun.file(stored.path).bytes()).toEqual(content);
    const file = await stat(stored.path);
    expect(file.mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(stored.expires_at).toBe(Math.floor(file.mtimeMs / 1000 + IMAGE_LIFETIME_SECONDS));
    expect(basename(stored.path)).toMatch(
      new RegExp(`^${stored.id.replaceAll("-", "")}\\.(png|jpg|webp|gif)$`),
    );
    expect(stored.size).toBe(content.length);
    expect(stored.mime_type).toBe(type);
    expect(Bun.spawnSync(["sh", "-c", `printf %s ${stored.terminal_text}`]).stdout.toString()).toBe(
      stored.path,
    );
  });

  test("an image of exactly 20 MiB is accepted, also without a declared length", async () => {
    expect(await fate(png(MAX_IMAGE_BYTES))).toBe("stored");
    expect(await fate(png(MAX_IMAGE_BYTES, null))).toBe("stored");
  });
});

describe("a refused image leaves nothing", () => {
  afterEach(async () => expect(await readdir(folder).catch(() => [])).toEqual([]));

  test.each([
    ["no type", null, sample("image/png")],
    ["an unsupported type", "image/svg+xml", sample("image/png")],
    ["another type's bytes", "image/png", sample("image/gif")],
    ["a cut signature", "image/png", sample("image/png", 7)],
    ["no bytes", "image/png", new Uint8Array()],
  ])("an upload with %s is unsupported", async (_what, type, bytes) => {
    for (const declared of [bytes.length, null])
      expect(await fate({ type, bytes: declared, body: arriving(bytes, 3) })).toBe(UNSUPPORTED);
    expect(await fate({ type, bytes: null, body: null })).toBe(UNSUPPORTED);
  });

  test("a declared length over the limit is refused before reading", async () => {
    let pulls = 0;
    const body = new ReadableStream({ pull: () => void pulls++ }, { highWaterMark: 0 });
    const sent = { type: "image/png", bytes: MAX_IMAGE_BYTES + 1, body };
    expect(await fate(sent)).toBe(TOO_LARGE);
    expect(pulls).toBe(0);
    expect(await readdir(state)).toEqual([]);
  });

  test("a body that grows over the limit is refused", async () => {
    expect(await fate(png(MAX_IMAGE_BYTES + 1, null))).toBe(TOO_LARGE);
    expect(await fate(png(MAX_IMAGE_BYTES + 1, 100))).toBe(TOO_LARGE);
  });

  test("wrong bytes end the upload at the first piece", async () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          pulls += 1;
          controller.enqueue(sample("image/gif", 1000));
        },
      },
      { highWaterMark: 0 },
    );
    expect(await fate({ type: "image/png", bytes: null, body })).toBe(UNSUPPORTED);
    expect(pulls).toBe(1);
  });
});

describe("the quota of images", () => {
  test("the quota holds for concurrent uploads, declared or not", async () => {
    images = open(10 * MIB);
    const uploads = Array.from({ length: 16 }, (_, index) =>
      fate(png(MIB, index % 2 ? MIB : null)),
    );
    const outcomes = await Promise.all(uploads);
    expect(new Set(outcomes)).toEqual(new Set(["stored", QUOTA]));
    const files = await readdir(folder);
    expect(files).toHaveLength(outcomes.filter((outcome) => outcome === "stored").length);
    expect(files.length).toBeLessThanOrEqual(10);
    // Undeclared uploads may refuse each other; their reservations are free again.
    while (files.length < 10 && (await fate(png(MIB))) === "stored") files.push("another");
    expect(await fate(png(1000))).toBe(QUOTA);
  });

  test("a declared length is reserved before the body arrives", async () => {
    images = open(10 * MIB);
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => fate(png(MIB))));
    expect(outcomes.filter((outcome) => outcome === "stored")).toHaveLength(10);
  });

  test("the quota counts images of a former run, but not removed images", async () => {
    images = open(2 * MIB);
    const { path } = await images.receive(png(MIB));
    images = open(2 * MIB);
    expect(await fate(png(MIB + 1))).toBe(QUOTA);
    await rm(path);
    expect(await fate(png(MIB + 1))).toBe("stored");
  });

  test("expired images make room", async () => {
    images = open(MIB);
    const { path } = await images.receive(png(MIB));
    const past = systemClock.now() - IMAGE_LIFETIME_SECONDS - 1;
    await utimes(path, past, past);
    expect(await fate(png(MIB))).toBe("stored");
    expect(await Bun.file(path).exists()).toBe(false);
  });

  test("a slow upload delays no other upload", async () => {
    const gate = Promise.withResolvers<void>();
    const slow = images.receive(startedUpload((rest) => gate.promise.then(() => rest.close())));
    expect(await fate(png(MIB))).toBe("stored");
    gate.resolve();
    await slow;
    expect(await readdir(folder)).toHaveLength(2);
  });
});

describe("the cleaning of the image folder", () => {
  test("a start removes expired images and stray parts, and nothing else", async () => {
    await mkdir(folder, { mode: 0o755 });
    const hex = "0123456789abcdef".repeat(2);
    const now = systemClock.now();
    for (const [name, age] of [
      [`${hex}.png`, IMAGE_LIFETIME_SECONDS + 5],
      [`${hex}.jpg`, IMAGE_LIFETIME_SECONDS - 60],
      [`.${hex}.part`, 0],
      ["notes.txt", 2 * IMAGE_LIFETIME_SECONDS],
      [`${hex}.png.bak`, 2 * IMAGE_LIFETIME_SECONDS],
    ] as const) {
      await writeFile(join(folder, name), "x");
      await utimes(join(folder, name), now - age, now - age);
    }
    await mkdir(join(folder, `${hex}.gif`));
    await utimes(join(folder, `${hex}.gif`), 0, 0);
    await images.start();
    expect((await readdir(folder)).sort()).toEqual(
      [`${hex}.gif`, `${hex}.jpg`, `${hex}.png.bak`, "notes.txt"].sort(),
    );
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test("a start keeps an image until it expires by the clock", async () => {
    let now = systemClock.now();
    images = open(undefined, () => now);
    const { path, expires_at } = await images.receive(png(100));
    now = expires_at - 1;
    await images.start();
    expect(await Bun.file(path).exists()).toBe(true);
    now = expires_at + 1;
    await images.stop();
    await images.start();
    expect(await Bun.file(path).exists()).toBe(false);
  });

  test("a stop removes the part of a running upload and cancels it", async () => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const upload = fate(startedUpload((rest) => promise.then(() => rest.error(new Error("cut")))));
    await until(async () => (await readdir(folder).catch(() => [])).length === 1);
    await images.stop();
    expect(await readdir(folder)).toEqual([]);
    end();
    expect(await upload).toBe("invalid: the upload was cancelled");
  });

  test("a start during an upload keeps its part", async () => {
    const gate = Promise.withResolvers<void>();
    const upload = images.receive(
      startedUpload(async (rest) => {
        await images.start();
        gate.resolve();
        rest.close();
      }),
    );
    await gate.promise;
    expect((await upload).size).toBe(64);
  });
});

describe("an image folder that cannot be used", () => {
  test("a link is refused without writing behind it, and its path is in the log only", async () => {
    const elsewhere = join(state, "elsewhere");
    await mkdir(elsewhere);
    await symlink(elsewhere, folder);
    await images.start();
    expect(await fate(png(100))).toBe(UNAVAILABLE);
    // The path is for the log alone: in a warning at the start, as the cause at an upload.
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`${folder} is a link`);
    const error = await images.receive(png(100)).catch((thrown: unknown) => thrown);
    expect(error instanceof Error && causesOf(error)).toContain(`${folder} is a link`);
    expect(await readdir(elsewhere)).toEqual([]);
  });

  test("a file in place of the folder is refused", async () => {
    await writeFile(folder, "");
    expect(await fate(png(100))).toBe(UNAVAILABLE);
  });
});

describe("POST /api/images", () => {
  const upload = (bytes: number, headers: Record<string, string> = {}) => ({
    method: "POST",
    body: sample("image/png", bytes),
    headers: { "content-type": "image/png", ...headers },
  });
  const routes = () => routed(imageRoutes(images, () => null));
  const served = () => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: routes().fetch });
  const send = (url: URL, body: Uint8Array<ArrayBuffer>, type = "image/png") =>
    fetch(new URL("/api/images", url), {
      method: "POST",
      body,
      headers: { "content-type": type },
    });

  test("neither a stored nor a refused image may be cached", async () => {
    using server = served();
    const stored = await send(server.url, sample("image/png", 3 * MIB));
    expect(stored.status).toBe(201);
    UploadedImage.strict().parse(await stored.json());
    const refused = await send(server.url, sample("image/png"), "text/plain");
    expect(refused.status).toBe(418);
    for (const reply of [stored, refused])
      expect(reply.headers.get("cache-control")).toBe("no-store");
  });

  test("an upload that the client aborts leaves nothing", async () => {
    using server = served();
    const reached = Promise.withResolvers<void>();
    const sending = new AbortController();
    const body = new ReadableStream({
      async pull(controller) {
        controller.enqueue(sample("image/png", 100_000));
        if ((await readdir(folder).catch(() => [])).length > 0) reached.resolve();
        await Bun.sleep(5);
      },
    });
    const sent = fetch(new URL("/api/images", server.url), {
      method: "POST",
      body,
      headers: { "content-type": "image/png" },
      signal: sending.signal,
    }).catch(() => "gone");
    await reached.promise;
    sending.abort();
    expect(await sent).toBe("gone");
    await becomes(() => readdir(folder), []);
  });

  test("a content-length that is no number is ignored, also by the quota", async () => {
    images = open(MIB);
    const post = (bytes: number, length: string) =>
      routes().request("/api/images", upload(bytes, { "content-length": length }), {
        peer: "192.0.2.1",
      });
    expect((await post(100, "many")).status).toBe(201);
    expect((await post(MIB, "-1")).status).toBe(418);
  });

  test("an image for another machine is sent there after it arrived and access was checked again", async () => {
    const done: string[] = [];
    const machine = {
      requireLive: () => void done.push("asked"),
      putImage: async () => (done.push("put"), "/elsewhere/a.png"),
    };
    const onBodyRead = () => void done.push("arrived");
    const app = routed(imageRoutes(images, () => machine));
    await app.request("/api/images?id=h1", upload(100), { peer: "192.0.2.1", onBodyRead });
    expect(done).toEqual(["asked", "arrived", "put"]);
  });

  test("an image whose sender lost access during the upload is refused and not stored", async () => {
    const onBodyRead = () => {
      throw new AppError("unauthorized", "bad or missing token");
    };
    const facts = { peer: "192.0.2.1", onBodyRead };
    const reply = await routes().request("/api/images", upload(100), facts);
    expect(await reply.json()).toMatchObject({ kind: "unauthorized" });
    expect(await readdir(folder)).toEqual([]);
  });

  test("a refusal during the upload reaches the client", async () => {
    using server = served();
    const refused = await send(server.url, sample("image/gif", 8 * MIB));
    expect(await refused.json()).toEqual({
      kind: "unsupported_media",
      detail: "supported images are PNG, JPEG, WebP, and GIF",
    });
  });
});

test.each(ImageType.options)("%s is detected by its first bytes", (type) => {
  expect(detectImageType(sample(type))).toBe(type);
  expect(detectImageType(sample(type, 2))).toBeNull();
});

test.each([
  "",
  "GIF88a..............",
  "\x89PNG\n\n\x1a\n",
  "RIFF....WAVEfmt ",
  "RIFFxxxx",
  "<svg xmlns='http://www.w3.org/2000/svg'/>",
  " \xff\xd8\xff",
  "\0\0\0\x18ftypheic",
])("%p is no supported image", (head) => {
  expect(detectImageType(Buffer.from(head, "latin1"))).toBeNull();
});
