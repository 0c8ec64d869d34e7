import { closeSync, openSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { endStrays, leftIn } from "./strays.ts";

/** What the runner of a suite writes beside the temporary files of its tests. */
const REPORT = "report.xml";
const OUTPUT = "output";

/** One command of `npm test`. */
export interface Suite {
  readonly name: string;
  readonly argv: (report: string) => readonly string[];
  /** Counted from the runner's own report; without one the whole command counts as one. */
  readonly isCounted: boolean;
  /** Only with `--thorough`. */
  readonly isLong?: boolean;
  /** What has to be there while it runs, or why it cannot be had on this machine. */
  readonly prepare?: () => Promise<Prepared | NotRun>;
}

export interface Prepared {
  readonly env: Record<string, string>;
  /** Processor time that is not the command's. */
  cpuSeconds?(): Promise<number>;
  close(): Promise<void>;
}

export interface NotRun {
  readonly notRun: string;
}

export interface Result {
  readonly passed: number;
  readonly failed: number;
  /** All that it printed, in its order. */
  readonly output: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Tests that were left to `npm run test:all`. */
  readonly left: number;
  readonly notRun?: string;
}

interface Command {
  readonly suite: Suite;
  readonly folder: string;
  readonly env: Record<string, string>;
  /** How long what it leaves running may take to end of itself. */
  readonly graceMs: number | undefined;
}

/** Chromium leaves what it is just writing when it is told to end. */
const HALF_WRITTEN = /^file \.org\.chromium\.Chromium\.\w+$/;

/**
 * Runs a suite to its end. Whatever goes wrong is a failure of the suite, also a process, a
 * socket or a temporary folder that it leaves behind: everything below it is known by `folder`, its folder for temporary files.
 */
export async function runSuite(suite: Suite, folder: string, graceMs?: number): Promise<Result> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const failure = { passed: 0, failed: 1, left: 0, cpuSeconds: 0 };
  try {
    await mkdir(folder, { recursive: true });
    const prepared: Prepared | NotRun = (await suite.prepare?.()) ?? {
      env: {},
      close: async () => undefined,
    };
    if ("notRun" in prepared)
      return { ...failure, failed: 0, output: "", seconds: seconds(), notRun: prepared.notRun };
    try {
      const result = await runCommand({ suite, folder, graceMs, env: prepared.env });
      const beside = (await prepared.cpuSeconds?.()) ?? 0;
      return { ...result, cpuSeconds: result.cpuSeconds + beside, seconds: seconds() };
    } finally {
      await prepared.close();
    }
  } catch (error) {
    return { ...failure, output: `${suite.name}: ${String(error)}\n`, seconds: seconds() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runCommand({ suite, folder, env, graceMs }: Command) {
  const report = join(folder, REPORT);
  const path = join(folder, OUTPUT);
  const both = openSync(path, "w");
  const child = Bun.spawn([...suite.argv(report)], {
    // A tmux that a test forgot to give a place of its own is nobody else's, and found.
    env: { ...process.env, ...env, TMPDIR: folder, TMUX_TMPDIR: folder },
    stdio: ["ignore", both, both],
  });
  const code = await child.exited;
  closeSync(both);
  const running = await endStrays(folder, graceMs);
  const left = [
    ...running.map((line) => `left running: ${line}\n`),
    ...(await leftIn(folder, [REPORT, OUTPUT]))
      .filter((line) => !HALF_WRITTEN.test(line))
      .map((line) => `left behind: ${line}\n`),
  ];
  const count = suite.isCounted
    ? countOf(await textOf(report), code)
    : { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, left: 0 };
  return {
    ...count,
    failed: count.failed + left.length,
    output: [await textOf(path), ...left].join(""),
    cpuSeconds: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6,
  };
}

async function textOf(path: string): Promise<string> {
  const file = Bun.file(path);
  return (await file.exists()) ? file.text() : "";
}

/** A runner that failed without a failed test (a crash, a file that does not load) counts as one. */
function countOf(report: string, code: number): Pick<Result, "passed" | "failed" | "left"> {
  const root = /<testsuites\b[^>]*>/.exec(report)?.[0] ?? "";
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(root)?.[1] ?? 0);
  const failed = number("failures") + number("errors");
  const left = number("skipped");
  const passed = number("tests") - failed - left;
  if (code !== 0 && failed === 0) return { passed, failed: 1, left };
  // No test at all is a suite that found nothing, not one that passed.
  return passed + failed === 0 ? { passed: 0, failed: 1, left } : { passed, failed, left };
}
