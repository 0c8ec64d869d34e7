// `npm run test:live`: suites over real programs that are fetched from npm for the occasion.
//
//   bun tests/live/all.ts --lab DIR  all suites
//   bun tests/live/all.ts tokscale   those whose file name holds the word
//
// `agents` and `workspace` need a checkout of the agent lab: `--lab DIR` or PANEWATCH_LAB.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const TIMEOUT_MS = 300_000;

const words = process.argv.slice(2);
const option = words.indexOf("--lab");
const [, given] = option === -1 ? [] : words.splice(option, 2);
const lab = given ?? process.env["PANEWATCH_LAB"];
const files = [...new Bun.Glob("*.test.ts").scanSync({ cwd: import.meta.dir })]
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`live: no file in tests/live matches ${words.join(", ")}\n`);
  process.exit(2);
}
if (
  files.some((file) => /^(agents|workspace)/.test(file)) &&
  !(lab && existsSync(join(lab, "run.mjs")))
) {
  process.stderr.write(
    "live: the agents and workspace suites need a checkout of the agent lab: give --lab DIR or set PANEWATCH_LAB\n",
  );
  process.exit(2);
}
const child = Bun.spawn(
  [
    process.execPath,
    "--no-env-file",
    "test",
    `--timeout=${TIMEOUT_MS}`,
    ...files.map((file) => `./tests/live/${file}`),
  ],
  {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...(lab ? { PANEWATCH_LAB: resolve(lab) } : {}) },
  },
);
process.exit(await child.exited);
