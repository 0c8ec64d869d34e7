import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { writeBigLogs } from "../agents/support/big-logs.ts";
import { atOnce, byteByByte, inSteps, stepsAt } from "../agents/support/ends.ts";
import type { ImportGauge } from "../agents/support/import-gauge.ts";
import { killWhileGrowing } from "../agents/support/kills.ts";
import { randomOf, readMutations } from "../agents/support/mutations.ts";
import { RECORDINGS } from "../agents/support/recordings.ts";
import { temporary } from "../support/temporary.ts";

setDefaultTimeout(30 * 60_000);

const CUTS = 500;
const KILLS = 200;
const LINES = 2_000_000;
const GIB = 1024 ** 3;
const MOST_BYTES = 150 * 1024 ** 2;
const STOP_AFTER_MS = 1500;
const GAUGE = join(import.meta.dir, "../agents/support/import-gauge.ts");

const root = await temporary("import", afterAll);
const anySeed = () => Math.floor(Math.random() * 2 ** 32);

for (const recording of RECORDINGS) {
  test(`${recording.runtime}/${recording.name}: byte by byte, and with ${CUTS} restarts, ends the same`, async () => {
    const whole = await atOnce(recording);
    expect(await byteByByte(recording)).toEqual(whole);
    const seed = anySeed();
    const random = randomOf(seed);
    const steps = stepsAt(recording, Array.from({ length: CUTS }, random));
    expect(await inSteps(recording, steps), `seed ${seed}`).toEqual(whole);
  });
}

test(`a reader that is killed ${KILLS} times while its logs grow loses and doubles nothing`, async () => {
  const seed = anySeed();
  const { killed, whole } = await killWhileGrowing(RECORDINGS, KILLS, seed);
  expect(killed, `seed ${seed}`).toEqual(whole);
});

test("two million lines that nobody wrote throw nothing", () => {
  expect(readMutations(LINES, anySeed()).events).toBeGreaterThan(LINES / 20);
});

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
