// `npm run test:live`: suites over real programs that are fetched from npm for the occasion.
//
//   bun tests/live/all.ts            all suites
//   bun tests/live/all.ts tokscale   those whose file name holds the word
const TIMEOUT_MS = 300_000;

const words = process.argv.slice(2);
const files = [...new Bun.Glob("*.test.ts").scanSync({ cwd: import.meta.dir })]
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`live: no file in tests/live matches ${words.join(", ")}\n`);
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
  { stdio: ["ignore", "inherit", "inherit"] },
);
process.exit(await child.exited);
