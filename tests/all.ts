// `npm test`: every suite after one another, counted from what each really reported.
//
//   bun tests/all.ts            all suites
//   bun tests/all.ts unit       those named
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Suite {
  name: string;
  argv: (report: string) => string[];
  /** Counted from the runner's own report; without one the whole command counts as one. */
  counted: boolean;
}

interface Count {
  passed: number;
  failed: number;
}

const BUN = [process.execPath, "--no-env-file"];
const TEST_TIMEOUT_MS = 60_000;
const SOAK_SECONDS = 60;
/** Folders with a suite or a command of their own; every other test is a unit test. */
const NOT_UNIT = ["contract", "browser", "binary", "live", "bench", "soak"];
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
  command("soak", [...BUN, "tests/soak/soak.ts", "--seconds", String(SOAK_SECONDS)]),
];

await main(process.argv.slice(2));

async function main(names: string[]): Promise<void> {
  const unknown = names.find((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown !== undefined) {
    const known = SUITES.map((suite) => suite.name).join(", ");
    process.stderr.write(`test: unknown suite ${unknown}; known: ${known}\n`);
    process.exit(2);
  }
  const chosen = SUITES.filter((suite) => names.length === 0 || names.includes(suite.name));
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

function tests(name: string, args: string[]): Suite {
  const argv = (report: string) => [
    ...BUN,
    "test",
    `--timeout=${TEST_TIMEOUT_MS}`,
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
