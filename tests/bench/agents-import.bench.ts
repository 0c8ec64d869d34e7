// What it takes to import a year of session logs: 1 GiB made from recorded ones, beside counting
// its lines and parsing each as JSON.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeBigLogs } from "../agents/support/big-logs.ts";
import type { ImportGauge } from "../agents/support/import-gauge.ts";
import { markdownTable } from "./figures.ts";

const BYTES = 1024 ** 3;
const MIB = 1024 ** 2;
const GAUGE = join(import.meta.dir, "../agents/support/import-gauge.ts");

const root = await mkdtemp(join(tmpdir(), "panewatch-import-"));
try {
  const home = join(root, "home");
  const paths = await writeBigLogs(home, BYTES);
  // The first reading brings the files into memory, for all three alike.
  countLines(paths);
  const counting = seconds(() => countLines(paths));
  const parsing = await secondsOf(() => parseLines(paths));
  const gauge = await importLogs(home, join(root, "agents.sqlite3"));
  const rate = (took: number) => `${(BYTES / MIB / took).toFixed(0)} MiB/s`;
  process.stdout.write(
    markdownTable(
      ["1 GiB of session logs", "seconds", "rate"],
      [
        ["`wc -l`", counting.toFixed(1), rate(counting)],
        ["`JSON.parse` of every line", parsing.toFixed(1), rate(parsing)],
        ["import", gauge.seconds.toFixed(1), rate(gauge.seconds)],
      ],
    ),
  );
  process.stdout.write("\n");
  process.stdout.write(
    markdownTable(
      ["import", ""],
      [
        ["sessions, messages", `${gauge.sessions}, ${gauge.messages}`],
        ["more resident memory, at most", `${(gauge.moreBytes / MIB).toFixed(0)} MiB`],
        ["others waited, 99 of 100", `${gauge.p99Ms.toFixed(0)} ms`],
        ["others waited, at most", `${gauge.longestMs.toFixed(0)} ms`],
        [
          "store for 1,000 messages",
          `${(gauge.databaseBytes / 1024 / (gauge.messages / 1000)).toFixed(0)} KiB`,
        ],
      ],
    ),
  );
} finally {
  await rm(root, { recursive: true, force: true });
}

function countLines(paths: readonly string[]): void {
  Bun.spawnSync(["wc", "-l", ...paths], { stdout: "ignore" });
}

async function parseLines(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    for (const line of (await Bun.file(path).text()).split("\n")) {
      if (line !== "") JSON.parse(line);
    }
  }
}

async function importLogs(home: string, database: string): Promise<ImportGauge> {
  const child = Bun.spawn([process.execPath, "--no-env-file", GAUGE, home, database], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(await new Response(child.stdout).text());
}

function seconds(work: () => void): number {
  const startedAt = performance.now();
  work();
  return (performance.now() - startedAt) / 1000;
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
