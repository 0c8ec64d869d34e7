import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { writeBigLogs } from "../agents/support/big-logs.ts";
import type { ImportGauge } from "../agents/support/import-gauge.ts";
import { temporary } from "../support/temporary.ts";

setDefaultTimeout(30 * 60_000);

const GIB = 1024 ** 3;
const MOST_BYTES = 150 * 1024 ** 2;
const STOP_AFTER_MS = 1500;
const GAUGE = join(import.meta.dir, "../agents/support/import-gauge.ts");

const root = await temporary("import", afterAll);

async function importLogs(database: string, stopAfterMs?: number): Promise<ImportGauge> {
  const words = [join(root, "home"), join(root, database)];
  if (stopAfterMs !== undefined) words.push(String(stopAfterMs));
  const child = Bun.spawn([process.execPath, "--no-env-file", GAUGE, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const text = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return JSON.parse(text);
}

test("a gigabyte of logs is imported within its memory, and goes on where it was stopped", async () => {
  await writeBigLogs(join(root, "home"), GIB);
  const whole = await importLogs("whole.sqlite3");
  expect(whole.moreBytes).toBeLessThan(MOST_BYTES);
  const stopped = await importLogs("parts.sqlite3", STOP_AFTER_MS);
  expect(stopped.messages).toBeLessThan(whole.messages);
  const rest = await importLogs("parts.sqlite3");
  expect(rest).toMatchObject({ messages: whole.messages, sessions: whole.sessions });
});
