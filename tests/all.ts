// `npm test`: every suite, in lanes beside one another, counted from what each really reported.
//
//   bun tests/all.ts                  all suites, samples where a suite is exhaustive
//   bun tests/all.ts unit             those named
//   bun tests/all.ts --thorough       `npm run test:all`: every case, and what takes long
import { mkdtemp, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowserServer } from "./support/browser.ts";
import { bringHeadlessShell } from "./support/headless-shell.ts";
import { tellMissing } from "./support/shells.ts";
import { endStrays, ownNames, runsElsewhere } from "./support/strays.ts";
import { type Result, runSuite, type Suite } from "./support/suite.ts";
import {
  bringTmux,
  MORE_TMUX_TESTS,
  NoOtherTmux,
  OTHER_TMUX,
  TMUX_SUITES,
  TMUX_TESTS,
} from "./support/tmux-version.ts";
import { TEST_MS } from "./support/until.ts";

const BUN = [process.execPath, "--no-env-file"];
/** Of less, the second fifth is still warming up: what comes in the last looks like a leak. */
const SOAK_SECONDS = 30;
const THOROUGH = "--thorough";
const IS_THOROUGH = process.argv.includes(THOROUGH);
/** Folders with a suite or a command of their own; every other test is a unit test. */
const NOT_UNIT = ["contract", "browser", "binary", "hosts", "live", "bench", "soak", "long"];
/** How long each file took: of the next run the longest begin first, and none is a tail. */
const TIMINGS = join(import.meta.dir, "../node_modules/.cache/test-timings");
const NEWEST_TMUX = TMUX_SUITES.at(-1);

/** The executable and the page are there before those who start them. */
const BUILD = command("build", [...BUN, "build.ts"]);
/**
 * A lane runs its suites one after another, with a share of the processes like its share of the work,
 * so that all lanes end together. More processes at once take longer for the same. Pages have one
 * browser: Linux gives each session the same share of the processors, and a browser is a session.
 */
const LANES: readonly (readonly Suite[])[] = [
  [
    {
      ...tests("browser", ["--parallel=5", "--no-isolate", "./tests/browser/"]),
      async prepare() {
        // Beside the suites that show no page: a download waits for the network.
        const noShell = await bringHeadlessShell();
        if (noShell !== null) process.stdout.write(`pages in the system's Chromium: ${noShell}\n`);
        return openBrowserServer();
      },
    },
  ],
  [
    // All files of a process share their modules: to load them for each file costs half as much again.
    tests("unit", [
      "--parallel=3",
      "--no-isolate",
      ...NOT_UNIT.map((name) => `--path-ignore-patterns=tests/${name}/**`),
    ]),
  ],
  [
    tests("hosts", ["--parallel=2", "--no-isolate", "./tests/hosts/"]),
    tests("binary", ["--parallel=2", "--no-isolate", "./tests/binary/"]),
    tests("contract", ["./tests/contract/"]),
    command("check", [...BUN, "check"]),
    command("format", [...BUN, "fmt", "--check"]),
  ],
  [
    command("soak", [...BUN, "tests/soak/soak.ts", "--seconds", String(SOAK_SECONDS)]),
    ...TMUX_SUITES.map(onTmuxOf),
    { ...tests("long", ["./tests/long/"]), isLong: true },
  ],
];
const SUITES = [BUILD, ...LANES.flat()];

await main(process.argv.slice(2));

async function main(args: string[]): Promise<void> {
  const startedAt = performance.now();
  const names = args.filter((arg) => arg !== THOROUGH);
  if (IS_THOROUGH) process.env.PANEWATCH_THOROUGH = "1";
  const unknown = names.find((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown !== undefined) {
    const known = SUITES.map((suite) => suite.name).join(", ");
    process.stderr.write(`test: unknown suite ${unknown}; known: ${known}\n`);
    process.exit(2);
  }
  const before = new Set(await ownNames());
  const folder = await mkdtemp(join(tmpdir(), "pw-test-"));
  // What is started from here, too, is found by it when the run is broken off.
  process.env.TMPDIR = folder;
  const brokenOff = endOnSignals(folder);
  const isChosen = ({ name, isLong }: Suite) =>
    names.length === 0 ? IS_THOROUGH || isLong !== true : names.includes(name);
  const results = new Map<string, Result>();
  const runLane = async (lane: readonly Suite[]) => {
    for (const suite of lane.filter(isChosen)) {
      const result = await runSuite(suite, join(folder, suite.name));
      // No other suite begins: the process ends once what there was is gone.
      if (brokenOff.aborted) return Promise.withResolvers<void>().promise;
      results.set(suite.name, result);
      process.stdout.write(`\n== ${suite.name}\n${result.output}`);
    }
  };
  await runLane([BUILD]);
  await Promise.all(LANES.map(runLane));
  await rm(folder, { recursive: true, force: true });
  // Beside another run nobody knows whose they are.
  const left = (await runsElsewhere(folder))
    ? []
    : (await ownNames()).filter((path) => !before.has(path));
  const seconds = (performance.now() - startedAt) / 1000;
  // A browser's pages are lost to the account of whoever waits for the browser.
  const { user, system } = process.cpuUsage();
  const cpu = [...results.values()].reduce(
    (sum, one) => sum + one.cpuSeconds,
    (user + system) / 1e6,
  );
  const whole = `${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of processor`;
  process.exit(tell(results, left, whole) === 0 ? 0 : 1);
}

/** @returns how many failed. */
function tell(
  results: ReadonlyMap<string, Result>,
  left: readonly string[],
  whole: string,
): number {
  const lines = SUITES.flatMap(({ name }) => {
    const result = results.get(name);
    return result === undefined ? [] : [`${name}: ${outcomeOf(result)}\n`];
  });
  const sum = (of: (result: Result) => number) =>
    [...results.values()].reduce((total, result) => total + of(result), 0);
  const failed = sum((result) => result.failed) + left.length;
  lines.push(...left.map((path) => `left behind: ${path}\n`));
  process.stdout.write(
    `\n${lines.join("")}${tellMissing()}all: ${whole}\n\n${sum(({ passed }) => passed)} passed, ${failed} failed\n`,
  );
  return failed;
}

function outcomeOf({ passed, failed, left, seconds, cpuSeconds, notRun }: Result): string {
  if (notRun !== undefined) return `not run: ${notRun}`;
  const times = `${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of processor`;
  const others = left === 0 ? "" : `, ${left} left to npm run test:all`;
  return `${passed} passed, ${failed} failed${others}, ${times}`;
}

/** Nothing that a broken-off run has started outlives it. The result aborts then. */
function endOnSignals(folder: string): AbortSignal {
  const brokenOff = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      brokenOff.abort();
      void endStrays(folder, 0)
        .then(() => rm(folder, { recursive: true, force: true }))
        .finally(() => process.exit(128 + constants.signals[signal]));
    });
  return brokenOff.signal;
}

function command(name: string, argv: readonly string[]): Suite {
  return { name, argv: () => argv, isCounted: false };
}

function tests(name: string, args: readonly string[]): Suite {
  const reporter = (report: string) => ["--reporter=junit", `--reporter-outfile=${report}`];
  const argv = (report: string) => [
    ...BUN,
    "test",
    `--timeout=${TEST_MS}`,
    "--only-failures",
    ...reporter(report),
    `--timings=${join(TIMINGS, `${name}.json`)}`,
    "--update-timings",
    ...args,
  ];
  return { name, argv, isCounted: true };
}

/** What talks to tmux, on that of another Debian; where none can be had that is told. */
function onTmuxOf(debian: string): Suite {
  return {
    ...tests(
      `tmux-${debian}`,
      [...TMUX_TESTS, ...(IS_THOROUGH ? MORE_TMUX_TESTS : [])].map((path) => `./${path}`),
    ),
    isLong: debian !== NEWEST_TMUX,
    async prepare() {
      const close = async () => undefined;
      try {
        const PATH = `${await bringTmux(debian)}:${process.env.PATH}`;
        return { env: { PATH, [OTHER_TMUX]: debian }, close };
      } catch (error) {
        if (!(error instanceof NoOtherTmux)) throw error;
        return { notRun: error.message };
      }
    },
  };
}
