// `npm run test:live`: suites over real programs that are fetched from npm for the occasion.
//
//   bun tests/live/all.ts --lab DIR  all suites
//   bun tests/live/all.ts tokscale   those whose file name holds the word
//
// `agents`, `limits`, `queue`, `states` and `workspace` need a checkout of the agent lab: `--lab DIR` or PANEWATCH_LAB.
//   --newest      the newest releases of the agents in place of those that the lab was written for
//   --ca FILE     certificates for npm behind a proxy
//   --record DIR  saves each screen that `states` finds read wrong, in the form of the recorded ones
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const TIMEOUT_MS = 300_000;

const words = process.argv.slice(2);
const valueOf = (name: string): string | undefined => {
  const at = words.indexOf(name);
  return at === -1 ? undefined : words.splice(at, 2)[1];
};
const lab = valueOf("--lab") ?? process.env["PANEWATCH_LAB"];
const certificates = valueOf("--ca");
const record = valueOf("--record");
const newest = words.indexOf("--newest");
if (newest !== -1) words.splice(newest, 1);
const files = [...new Bun.Glob("*.test.ts").scanSync({ cwd: import.meta.dir })]
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`live: no file in tests/live matches ${words.join(", ")}\n`);
  process.exit(2);
}
if (
  files.some((file) => /^(agents|limits|queue|states|workspace)/.test(file)) &&
  !(lab && existsSync(join(lab, "run.mjs")))
) {
  process.stderr.write(
    "live: the agents, limits, queue, states and workspace suites need a checkout of the agent lab: give --lab DIR or set PANEWATCH_LAB\n",
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
    env: {
      ...process.env,
      ...(lab ? { PANEWATCH_LAB: resolve(lab) } : {}),
      ...(certificates ? { NODE_EXTRA_CA_CERTS: resolve(certificates) } : {}),
      ...(record ? { PANEWATCH_LIVE_RECORD: resolve(record) } : {}),
      ...(newest === -1 ? {} : { PANEWATCH_LAB_NEWEST: "1" }),
    },
  },
);
process.exit(await child.exited);
