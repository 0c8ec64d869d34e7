import { join } from "node:path";
import { PATTERN_WORD } from "../../src/pattern-worker.ts";

/** Command line of the pattern worker, from source. */
export const PATTERN_WORKER = [
  process.execPath,
  "--no-env-file",
  join(import.meta.dir, "..", "..", "src", "main.ts"),
  PATTERN_WORD,
];
