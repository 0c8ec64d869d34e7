import { writeSync } from "node:fs";
import {
  AT,
  BEGIN,
  PatternSearch,
  READY,
  type PatternJob,
  type PatternReply,
} from "./detect/pattern-search.ts";

/** The argument with which this program starts itself as the pattern worker; not for people. */
export const PATTERN_WORD = "pattern-worker";

const STDOUT = 1;

/**
 * Runs user patterns for the matcher: jobs in, a line each, findings out. A process and not a
 * thread, because a regular expression that runs away cannot be stopped in a thread. Ends with its
 * standard input.
 */
export async function runPatternWorker(): Promise<number> {
  const search = new PatternSearch();
  // Unbuffered: buffered output would be lost when a pattern runs away.
  const say = (line: string) => void writeSync(STDOUT, `${line}\n`);
  say(READY);
  for await (const line of console) {
    // Our own matcher wrote it.
    const job = JSON.parse(line) as PatternJob;
    const { user, system } = process.cpuUsage();
    say(`${BEGIN}${(user + system) / 1000}`);
    const findings = search.run(job, (index) => say(`${AT}${index}`));
    say(JSON.stringify({ findings } satisfies PatternReply));
  }
  return 0;
}
