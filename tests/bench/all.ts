// `npm run bench`: every bench in a process of its own, one after another. Each prints Markdown
// tables of ratios and figures of this run; docs/performance.md holds one such run.
//
//   bun tests/bench/all.ts          all benches
//   bun tests/bench/all.ts pass     those whose file name holds the word
import { cpus } from "node:os";
import { basename, join } from "node:path";

const words = process.argv.slice(2);
const files = [...new Bun.Glob("*.bench.ts").scanSync({ cwd: import.meta.dir })]
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`bench: no file in tests/bench matches ${words.join(", ")}\n`);
  process.exit(2);
}

const model = cpus()[0]?.model ?? "unknown processor";
process.stdout.write(`${cpus().length} cores, ${model}, Bun ${Bun.version}\n`);
let failed = 0;
for (const file of files) {
  process.stdout.write(`\n## ${basename(file, ".bench.ts")}\n\n`);
  const child = Bun.spawn([process.execPath, "--no-env-file", join(import.meta.dir, file)], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if ((await child.exited) !== 0) failed += 1;
}
if (failed > 0) process.stderr.write(`\nbench: ${failed} of ${files.length} did not finish\n`);
process.exit(failed === 0 ? 0 : 1);
