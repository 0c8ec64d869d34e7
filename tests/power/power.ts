// `npm run test:power`: makes one small change at a time in what must not be wrong, and says which
// of them no unit test notices.
//
//   npm run test:power                             a sample over all targets
//   npm run test:power -- input access             of these targets alone
//   npm run test:power -- --count 50 --seed x      more, fewer or others
//   npm run test:power -- --results FILE           what became of each, as JSON
//   npm run test:power -- --same-as FILE           those of an earlier FILE that still stand
//   npm run test:power -- --jobs 1                 how many at once; two else
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { endStrays } from "../support/strays.ts";
import { isEquivalent } from "./equivalent.ts";
import { keyOf, type Mutant, mutantsOf, mutated, sampleOf } from "./mutants.ts";
import { idleLinesIn, type Reach, testFilesIn, testsOf } from "./test-files.ts";
import { TARGETS, type Target } from "./targets.ts";

const ROOT = join(import.meta.dir, "..", "..");
const BUN = [process.execPath, "--no-env-file"];
/** Far above what the slowest folder takes: a change that makes a test wait for ever is noticed. */
const TEST_TIMEOUT_MS = 60_000;
const MUTANT_TIMEOUT_MS = 300_000;

/** For the tests, and for each process of the same program that they start. */
const LOADING = `--preload=${join(ROOT, "tests/power/load-mutant.ts")}`;

type Fate = "noticed" | "not noticed";

interface Outcome {
  readonly key: string;
  readonly target: string;
  readonly place: string;
  readonly change: string;
  readonly line: string;
  readonly fate: Fate;
  /** The first of the test files that noticed it together. */
  readonly by: string | null;
}

/** What is known of the test files of a target. */
type Reaches = (target: Target) => readonly Reach[];

interface Task {
  readonly target: Target;
  readonly mutant: Mutant;
  readonly text: string;
}

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      count: { type: "string", default: "320" },
      seed: { type: "string", default: "1" },
      jobs: { type: "string", default: "2" },
      results: { type: "string" },
      "same-as": { type: "string" },
    },
  });
  const unknown = positionals.find((name) => !TARGETS.some((target) => target.name === name));
  if (unknown !== undefined) {
    const known = TARGETS.map(({ name }) => name).join(", ");
    process.stderr.write(`test:power: unknown target ${unknown}; known: ${known}\n`);
    process.exit(2);
  }
  const targets = TARGETS.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  const all = (await Promise.all(targets.map(tasksOf))).flat();
  const earlier = values["same-as"];
  const chosen =
    earlier === undefined
      ? sampled(all, Number(values.count), values.seed)
      : await those(all, earlier);
  const jobs = Number(values.jobs);
  const outcomes = await runAll(chosen, await reachesOf(chosen, jobs), jobs);
  if (values.results !== undefined)
    await Bun.write(values.results, JSON.stringify(outcomes, null, 1));
  process.exit(tell(outcomes) === 0 ? 0 : 1);
}

async function tasksOf(target: Target): Promise<Task[]> {
  const files = target.files
    .flatMap((glob) => [...new Bun.Glob(glob).scanSync({ cwd: ROOT })])
    .sort();
  const texts = await Promise.all(files.map((file) => Bun.file(join(ROOT, file)).text()));
  return files.flatMap((file, index) => {
    const text = texts[index] ?? "";
    return mutantsOf(file, text)
      .filter((mutant) => !isEquivalent(mutant))
      .map((mutant) => ({ target, mutant, text }));
  });
}

function sampled(tasks: readonly Task[], count: number, seed: string): Task[] {
  const chosen = new Set(
    sampleOf(
      tasks.map(({ mutant }) => mutant),
      count,
      seed,
    ),
  );
  return tasks.filter(({ mutant }) => chosen.has(mutant));
}

async function those(tasks: readonly Task[], path: string): Promise<Task[]> {
  const earlier: readonly Outcome[] = await Bun.file(path).json();
  const keys = new Set(earlier.map(({ key }) => key));
  const found = tasks.filter(({ mutant }) => keys.has(keyOf(mutant)));
  process.stdout.write(`${found.length} of ${keys.size} still stand\n`);
  return found;
}

/**
 * Runs each test file once as things are: one that fails without a change is left out, since its
 * failure with one says nothing.
 */
async function reachesOf(tasks: readonly Task[], jobs: number): Promise<Reaches> {
  const folders = [...new Set(tasks.flatMap(({ target }) => target.tests))];
  const reaches: Reach[] = [];
  await atOnce(jobs, await testFilesIn(ROOT, folders), async (test) => {
    const reach = await inFolder(async (env) => {
      const coverage = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${env.TMPDIR}`];
      const { hasFailed, processorMs } = await tested([...coverage, `./${test}`], { env });
      return hasFailed ? null : { test, processorMs, idle: await idleLinesIn(env.TMPDIR) };
    });
    if (reach === null) return void process.stderr.write(`left out, fails as it is: ${test}\n`);
    reaches.push(reach);
  });
  return ({ tests }) =>
    reaches.filter(({ test }) => tests.some((folder) => test.startsWith(`${folder}/`)));
}

async function runAll(tasks: readonly Task[], reaches: Reaches, jobs: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await atOnce(jobs, tasks, async (task) => {
    const outcome = await run(task, reaches(task.target));
    outcomes.push(outcome);
    process.stdout.write(outcome.fate === "noticed" ? "." : `\n${line(outcome)}\n`);
  });
  return outcomes;
}

async function atOnce<T>(
  jobs: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}

async function run({ target, mutant, text }: Task, reaches: readonly Reach[]): Promise<Outcome> {
  const row = text.slice(0, mutant.at).split("\n").length;
  const about = {
    key: keyOf(mutant),
    target: target.name,
    place: `${mutant.file}:${row}`,
    change: `${mutant.from} -> ${mutant.to === "" ? "nothing" : mutant.to}`,
    line: mutant.line,
  };
  const by = await inFolder(async (folderEnv) => {
    const env = {
      ...folderEnv,
      BUN_OPTIONS: LOADING,
      PANEWATCH_MUTANT_PATH: join(ROOT, mutant.file),
      PANEWATCH_MUTANT_TEXT: mutated(text, mutant),
    };
    const deadline = performance.now() + MUTANT_TIMEOUT_MS;
    for (const files of testsOf(mutant.file, row, reaches)) {
      const timeout = Math.max(1, Math.round(deadline - performance.now()));
      const { hasFailed } = await tested(["--bail", ...files], { env, timeout });
      if (hasFailed) return files[0] ?? null;
    }
    return null;
  });
  return { ...about, fate: by === null ? "not noticed" : "noticed", by };
}

type Env = Record<string, string | undefined> & { readonly TMPDIR: string };

/** A test that fails leaves behind what it would have ended: that is known by this folder. */
async function inFolder<T>(work: (env: Env) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "pw-power-"));
  try {
    return await work({ ...process.env, TMPDIR: folder });
  } finally {
    await endStrays(folder, 0);
    await rm(folder, { recursive: true, force: true });
  }
}

async function tested(
  args: readonly string[],
  { env, timeout }: { env: Env; timeout?: number },
): Promise<{ hasFailed: boolean; processorMs: number }> {
  const child = Bun.spawn([...BUN, "test", `--timeout=${TEST_TIMEOUT_MS}`, ...args], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "ignore", "ignore"],
    ...(timeout === undefined ? {} : { timeout }),
  });
  const hasFailed = (await child.exited) !== 0;
  return { hasFailed, processorMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000 };
}

function line({ place, change, line }: Outcome): string {
  return `not noticed: ${place}  ${change}  in: ${line}`;
}

/** @returns how many were not noticed. */
function tell(outcomes: readonly Outcome[]): number {
  const missed = outcomes.filter(({ fate }) => fate === "not noticed");
  const rows = TARGETS.flatMap(({ name }) => {
    const own = outcomes.filter(({ target }) => target === name);
    const noticed = own.filter(({ fate }) => fate === "noticed").length;
    return own.length === 0 ? [] : [`${name}: ${noticed} of ${own.length} noticed\n`];
  });
  const share = (100 * (outcomes.length - missed.length)) / Math.max(1, outcomes.length);
  process.stdout.write(
    `\n${missed.map((each) => `${line(each)}\n`).join("")}${rows.join("")}` +
      `${outcomes.length - missed.length} of ${outcomes.length} noticed (${share.toFixed(1)} %)\n`,
  );
  return missed.length;
}
