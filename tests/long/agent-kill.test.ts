import { expect, test } from "bun:test";
import { appendFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { randomOf } from "../agents/support/mutations.ts";
import { RECORDINGS } from "../agents/support/recordings.ts";

const KILLS = 200;
const READER = join(import.meta.dir, "agent-reader.ts");
const WITHIN_MS = 60_000;

/** Starts a process that reads what grows below a home until it is killed, or all is read. */
function startReader(home: string, database: string, untilRead: boolean) {
  const words = [process.execPath, "--no-env-file", READER, home, database];
  return Bun.spawn(untilRead ? [...words, "once"] : words, {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function endOf(home: string, database: string): Promise<unknown> {
  const child = startReader(home, database, true);
  const text = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return JSON.parse(text);
}

test(
  `a reader that is killed ${KILLS} times while its logs grow loses and doubles nothing`,
  async () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const random = randomOf(seed);
    const root = await mkdtemp(join(tmpdir(), "panewatch-kill-"));
    try {
      const home = join(root, "home");
      const files = RECORDINGS.flatMap(({ runtime, name, files }) =>
        [...files].map(([path, bytes]) => ({
          path: `${path.split("/")[0]}/${runtime}-${name}/${path}`,
          bytes,
          at: 0,
        })),
      );
      for (const { path } of files) await mkdir(dirname(join(home, path)), { recursive: true });
      const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
      const share = Math.ceil(total / KILLS);
      for (let kill = 0; kill < KILLS; kill++) {
        const child = startReader(home, join(root, "killed.sqlite3"), false);
        // Killed while it reads, not while it starts.
        await child.stdout.getReader().read();
        const deadline = performance.now() + random() * 250;
        let left = share;
        while (performance.now() < deadline) {
          const growing = files.filter(({ at, bytes }) => at < bytes.length);
          const file = growing[Math.floor(random() * Math.min(3, growing.length))];
          if (file !== undefined && left > 0) {
            const size = 1 + Math.floor(random() * Math.min(left, 20_000));
            const part = file.bytes.subarray(file.at, file.at + size);
            await appendFile(join(home, file.path), part);
            file.at += part.length;
            left -= part.length;
          } else await Bun.sleep(5);
        }
        child.kill("SIGKILL");
        await child.exited;
      }
      for (const { path, bytes, at } of files) {
        if (at < bytes.length) await appendFile(join(home, path), bytes.subarray(at));
      }
      const killed = await endOf(home, join(root, "killed.sqlite3"));
      expect(killed, `seed ${seed}`).toEqual(await endOf(home, join(root, "whole.sqlite3")));
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
  WITHIN_MS * 10,
);
