import { appendFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { randomOf } from "./mutations.ts";
import type { Recording } from "./recordings.ts";

const READER = join(import.meta.dir, "reader.ts");
/** The longest time that a reader runs before it is killed. */
const MOST_MS = 250;
const MOST_BYTES = 20_000;

/**
 * Lets logs grow while a process reads them, which is killed and started again and again.
 * @returns what the store holds then, and what it holds when the logs are read at once
 */
export async function killWhileGrowing(
  recordings: readonly Recording[],
  kills: number,
  seed: number,
): Promise<{ killed: unknown; whole: unknown }> {
  const random = randomOf(seed);
  const root = await mkdtemp(join(tmpdir(), "panewatch-kill-"));
  const home = join(root, "home");
  try {
    const files = recordings.flatMap(({ runtime, name, files }) =>
      [...files].map(([path, bytes]) => ({
        path: join(home, path.split("/")[0] ?? "", `${runtime}-${name}`, path),
        bytes,
        at: 0,
      })),
    );
    for (const { path } of files) await mkdir(dirname(path), { recursive: true });
    const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    for (let kill = 0; kill < kills; kill++) {
      const child = startReader(home, join(root, "killed.sqlite3"), []);
      // Killed while it reads, not while it starts.
      await child.stdout.getReader().read();
      const deadline = performance.now() + random() * MOST_MS;
      let left = Math.ceil(total / kills);
      while (performance.now() < deadline) {
        const growing = files.filter(({ at, bytes }) => at < bytes.length);
        const file = growing[Math.floor(random() * Math.min(3, growing.length))];
        if (file === undefined || left <= 0) {
          await Bun.sleep(5);
          continue;
        }
        const size = 1 + Math.floor(random() * Math.min(left, MOST_BYTES));
        const part = file.bytes.subarray(file.at, file.at + size);
        await appendFile(file.path, part);
        file.at += part.length;
        left -= part.length;
      }
      child.kill("SIGKILL");
      await child.exited;
    }
    for (const { path, bytes, at } of files) await appendFile(path, bytes.subarray(at));
    return {
      killed: await readAll(home, join(root, "killed.sqlite3")),
      whole: await readAll(home, join(root, "whole.sqlite3")),
    };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function startReader(home: string, database: string, words: readonly string[]) {
  return Bun.spawn([process.execPath, "--no-env-file", READER, home, database, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function readAll(home: string, database: string): Promise<unknown> {
  const child = startReader(home, database, ["once"]);
  return JSON.parse(await new Response(child.stdout).text());
}
