import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { run, RunError } from "../lib/run.ts";

const TIMEOUT_MS = 10_000;

const PRICE = `export interface Line {
  price: number;
  count: number;
}

/** What a basket costs, in cents. */
export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + Math.round(line.price * line.count), 0);
}
`;
const FIXED = `export interface Line {
  price: number;
  count: number;
}

/** What a basket costs, in cents: rounded once, so that three lines of 33.4 make a euro. */
export function total(lines: readonly Line[]): number {
  const exact = lines.reduce((sum, line) => sum + line.price * line.count, 0);
  return Math.round(exact);
}
`;
const TEST = `import { total } from "../src/price.ts";

test("a basket is rounded once", () => {
  expect(total([{ price: 33.4, count: 3 }])).toBe(100);
});
`;

type Files = Readonly<Record<string, string>>;

const MAIN: Files = {
  "README.md": "# Shop\n\nThe sample repository of `panewatch demo`.\n",
  "src/price.ts": PRICE,
  "src/round-each.ts": "export const roundEach = (prices: number[]) => prices.map(Math.round);\n",
};
/** Since the branch left its base. */
const BRANCH: Files = { "tests/price.test.ts": TEST };
/** Since the last commit. */
const CHANGED: Files = {
  "src/price.ts": FIXED,
  "CHANGES.md": "- A basket is rounded once, at its end.\n",
};

/**
 * A git work tree for the sample agents, with commits, a branch and changes of every kind. Where git
 * is not installed it is a plain folder.
 */
export async function makeRepository(folder: string): Promise<void> {
  await write(folder, MAIN);
  try {
    await git(folder, "init", "--quiet", "--initial-branch=main");
    await commit(folder, "Begin the shop");
    await git(folder, "switch", "--quiet", "--create", "fix/checkout-rounding");
    await write(folder, BRANCH);
    await commit(folder, "Test how a basket is rounded");
    await git(folder, "rm", "--quiet", "src/round-each.ts");
  } catch (error) {
    if (!(error instanceof RunError && error.kind === "not_found")) throw error;
  }
  await write(folder, CHANGED);
}

async function write(folder: string, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(join(path, ".."), { recursive: true });
    await Bun.write(path, text);
  }
}

async function commit(folder: string, subject: string): Promise<void> {
  await git(folder, "add", "--all");
  await git(folder, "commit", "--quiet", "--message", subject);
}

/** Without any setting of the person's own. */
async function git(folder: string, ...args: string[]): Promise<void> {
  const who = (role: string) => ({
    [`GIT_${role}_NAME`]: "Sample",
    [`GIT_${role}_EMAIL`]: "sample@localhost",
  });
  const settings = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  const env = { PATH: process.env.PATH, ...settings, ...who("AUTHOR"), ...who("COMMITTER") };
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: 64 * 1024, env };
  const { code, stderr } = await run(["git", "-C", folder, ...args], limits);
  if (code !== 0) throw new Error(`git ${args[0]} failed in ${folder}: ${stderr.trim()}`);
}
