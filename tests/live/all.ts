// `npm run test:live`: suites over real programs that are fetched from npm for the occasion.
//
//   bun tests/live/all.ts --lab DIR  all suites
//   bun tests/live/all.ts tokscale   those whose file name holds the word
//
// All but `tokscale` need a checkout of the agent lab: `--lab DIR` or PANEWATCH_LAB.
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
const hasLab = lab !== undefined && existsSync(join(lab, "run.mjs"));
if (!hasLab && files.some((file) => file !== "tokscale.test.ts")) {
  const needed = "all suites but tokscale need a checkout of the agent lab";
  process.stderr.write(`live: ${needed}: give --lab DIR or set PANEWATCH_LAB\n`);
  process.exit(2);
}
const paths = files.map((file) => `./tests/live/${file}`);
const argv = [process.execPath, "--no-env-file", "test", `--timeout=${TIMEOUT_MS}`, ...paths];
const child = Bun.spawn(argv, {
  stdio: ["ignore", "inherit", "inherit"],
  env: {
    ...process.env,
    ...(lab ? { PANEWATCH_LAB: resolve(lab) } : {}),
    ...(certificates ? { NODE_EXTRA_CA_CERTS: resolve(certificates) } : {}),
    ...(record ? { PANEWATCH_LIVE_RECORD: resolve(record) } : {}),
    ...(newest === -1 ? {} : { PANEWATCH_LAB_NEWEST: "1" }),
  },
});
process.exit(await child.exited);
