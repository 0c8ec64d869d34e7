import { join } from "node:path";

/** What a run of one test file showed while nothing was changed. */
export interface Reach {
  /** As `tests/config/load.test.ts`. */
  readonly test: string;
  readonly processorMs: number;
  /** Of each source file that was read, the lines that never ran. */
  readonly idle: ReadonlyMap<string, ReadonlySet<number>>;
}

/** How much work a process is given, once the test file of the same name has been asked. */
const BATCH_MS = 2000;

export async function testFilesIn(root: string, folders: readonly string[]): Promise<string[]> {
  const found = folders.map((folder) =>
    [...new Bun.Glob(`${folder}/**/*.test.{ts,tsx}`).scanSync({ cwd: root })].sort(),
  );
  return found.flat();
}

/** Reads what `bun test --coverage` wrote into `folder`. */
export async function idleLinesIn(folder: string): Promise<Reach["idle"]> {
  const idle = new Map<string, Set<number>>();
  let lines = new Set<number>();
  for (const record of (await Bun.file(join(folder, "lcov.info")).text()).split("\n")) {
    if (record.startsWith("SF:")) idle.set(record.slice(3), (lines = new Set()));
    const [, line] = /^DA:(\d+),0$/.exec(record) ?? [];
    if (line !== undefined) lines.add(Number(line));
  }
  return idle;
}

/**
 * The test files that run a line, in groups: the one of the same name alone, then the cheapest
 * first. A test that never runs the line cannot notice what is changed in it.
 */
export function testsOf(file: string, line: number, reaches: readonly Reach[]): string[][] {
  const own = file.replace(/^src\//, "tests/").replace(/\.tsx?$/, ".test.ts");
  const rank = ({ test, processorMs }: Reach) => (test === own ? -1 : processorMs);
  const groups: string[][] = [];
  let workMs = BATCH_MS;
  for (const reach of reaches
    .filter(({ idle }) => idle.get(file)?.has(line) === false)
    .sort((a, b) => rank(a) - rank(b))) {
    if (workMs + reach.processorMs > BATCH_MS) {
      groups.push([]);
      workMs = 0;
    }
    workMs = reach.test === own ? BATCH_MS : workMs + reach.processorMs;
    groups.at(-1)?.push(`./${reach.test}`);
  }
  return groups;
}
