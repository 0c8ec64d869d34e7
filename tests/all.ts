// `npm test`: every suite after one another, counted from what each really reported.
//
//   bun tests/all.ts                  all suites, samples where a suite is exhaustive
//   bun tests/all.ts unit             those named
//   bun tests/all.ts --thorough       `npm run test:all`: every case, and what takes long
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Suite {
  name: string;
  argv: (report: string) => string[];
  /** Counted from the runner's own report; without one the whole command counts as one. */
  counted: boolean;
  /** Only with `--thorough`. */
  isLong?: boolean;
}

interface Count {
  passed: number;
  failed: number;
}

const BUN = [process.execPath, "--no-env-file"];
const TEST_TIMEOUT_MS = 60_000;
const LONG_TEST_TIMEOUT_MS = 30 * 60_000;
const SOAK_SECONDS = 30;
const THOROUGH = "--thorough";
/** Folders with a suite or a command of their own; every other test is a unit test. */
const NOT_UNIT = ["contract", "browser", "binary", "live", "bench", "soak", "long"];
const EVERY_SCREEN = ["tests/browser/screens.test.ts", "tests/browser/visual.test.ts"];

const SUITES: readonly Suite[] = [
  command("check", [...BUN, "check"]),
  command("format", [...BUN, "fmt", "--check"]),
  command("build", [...BUN, "build.ts"]),
  tests("unit", [
    "--parallel=2",
    ...NOT_UNIT.map((name) => `--path-ignore-patterns=tests/${name}/**`),
  ]),
  tests("contract", ["./tests/contract/"]),
  // These mostly wait, as a thumb does, so three share two cores; the two below draw every screen
  // and take both.
  tests("browser", [
    "--parallel=3",
    ...EVERY_SCREEN.map((file) => `--path-ignore-patterns=${file}`),
    "./tests/browser/",
  ]),
  tests(
    "screens",
    EVERY_SCREEN.map((file) => `./${file}`),
  ),
  tests("binary", ["./tests/binary/"]),
  { ...tests("long", ["./tests/long/"], LONG_TEST_TIMEOUT_MS), isLong: true },
  command("soak", [...BUN, "tests/soak/soak.ts", "--seconds", String(SOAK_SECONDS)]),
];

await main(process.argv.slice(2));

async function main(args: string[]): Promise<void> {
  const isThorough = args.includes(THOROUGH);
  const names = args.filter((arg) => arg !== THOROUGH);
  if (isThorough) process.env.PANEWATCH_THOROUGH = "1";
  const unknown = names.find((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown !== undefined) {
    const known = SUITES.map((suite) => suite.name).join(", ");
    process.stderr.write(`test: unknown suite ${unknown}; known: ${known}\n`);
    process.exit(2);
  }
  const chosen = SUITES.filter(({ name, isLong }) =>
    names.length === 0 ? isThorough || !isLong : names.includes(name),
  );
  const total: Count = { passed: 0, failed: 0 };
  const summary: string[] = [];
  for (const suite of chosen) {
    process.stdout.write(`\n== ${suite.name}\n`);
    const startedAt = performance.now();
    const count = await runSuite(suite);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    total.passed += count.passed;
    total.failed += count.failed;
    summary.push(`${suite.name}: ${count.passed} passed, ${count.failed} failed, ${seconds} s`);
  }
  process.stdout.write(`\n${summary.join("\n")}\n\n`);
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
  process.exit(total.failed === 0 ? 0 : 1);
}

function command(name: string, argv: string[]): Suite {
  return { name, argv: () => argv, counted: false };
}

function tests(name: string, args: string[], timeoutMs = TEST_TIMEOUT_MS): Suite {
  const argv = (report: string) => [
    ...BUN,
    "test",
    `--timeout=${timeoutMs}`,
    "--only-failures",
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...args,
  ];
  return { name, argv, counted: true };
}

async function runSuite(suite: Suite): Promise<Count> {
  const folder = await mkdtemp(join(tmpdir(), "panewatch-test-"));
  try {
    const report = join(folder, "report.xml");
    const child = Bun.spawn(suite.argv(report), { stdio: ["ignore", "inherit", "inherit"] });
    const code = await child.exited;
    if (!suite.counted) return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
    return countOf(await readReport(report), code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readReport(path: string): Promise<string> {
  const file = Bun.file(path);
  return (await file.exists()) ? file.text() : "";
}

/** A runner that failed without a failed test (a crash, a file that does not load) counts as one. */
function countOf(report: string, code: number): Count {
  const root = /<testsuites\b[^>]*>/.exec(report)?.[0] ?? "";
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(root)?.[1] ?? 0);
  const failed = number("failures") + number("errors");
  const passed = number("tests") - failed - number("skipped");
  if (code !== 0 && failed === 0) return { passed, failed: 1 };
  // No test at all is a suite that found nothing, not one that passed.
  return passed + failed === 0 ? { passed: 0, failed: 1 } : { passed, failed };
}
