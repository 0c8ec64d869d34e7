// Uploads through a real server: its memory with one 20 MiB upload and with twenty at once.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Images } from "../../src/images/images.ts";
import { imageRoutes } from "../../src/images/routes.ts";
import { routesOf } from "../../src/slice.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MAX_IMAGE_BYTES } from "../../src/protocol/images.ts";
import { markdownTable } from "./figures.ts";

const UPLOADS = [1, 10, 20, 40];
const MIB = 1024 * 1024;
const SAMPLE_EVERY_MS = 5;

// The sender is a process of its own, so that its memory is not the server's.
const SENDER = `
const [url, count] = process.argv.slice(1);
const image = new Uint8Array(${MAX_IMAGE_BYTES});
image.set([0xff, 0xd8, 0xff]);
const send = () => fetch(url, { method: "POST", body: image, headers: { "content-type": "image/jpeg" } });
const replies = await Promise.all(Array.from({ length: Number(count) }, send));
process.exit(replies.every((reply) => reply.status === 201) ? 0 : 1);
`;

const folder = await mkdtemp(join(tmpdir(), "panewatch-bench-"));
const images = new Images({
  folder: join(folder, "uploads"),
  clock: systemClock,
  log: { warn: (message) => void process.stderr.write(`${message}\n`) },
  quotaBytes: Number.MAX_SAFE_INTEGER,
});
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: routesOf(imageRoutes(images, () => null)).fetch,
});
try {
  await upload(1);
  const rows: string[][] = [];
  for (const count of UPLOADS) {
    const { grownMib, seconds } = await upload(count);
    rows.push([
      String(count),
      `${count * (MAX_IMAGE_BYTES / MIB)} MiB`,
      `${grownMib.toFixed(0)} MiB`,
      `${((count * MAX_IMAGE_BYTES) / MIB / seconds).toFixed(0)} MiB/s`,
    ]);
  }
  process.stdout.write(
    markdownTable(["uploads at once", "sent", "memory grew at most by", "rate"], rows),
  );
} finally {
  await server.stop(true);
  await rm(folder, { recursive: true, force: true });
}

async function upload(count: number): Promise<{ grownMib: number; seconds: number }> {
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, SAMPLE_EVERY_MS);
  const started = performance.now();
  const url = new URL("/api/images", server.url).href;
  const sender = Bun.spawn([process.execPath, "-e", SENDER, url, String(count)], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const code = await sender.exited;
  clearInterval(timer);
  if (code !== 0) throw new Error(`the sender of ${count} uploads ended with ${code}`);
  return { grownMib: (most - before) / MIB, seconds: (performance.now() - started) / 1000 };
}
