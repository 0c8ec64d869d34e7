import { writeSync } from "node:fs";
import { AT, BEGIN, PatternSearch, READY, type PatternJob } from "./detect/pattern-search.ts";

/** The argument with which this program starts itself as the pattern worker. */
export const PATTERN_WORD = "pattern-worker";

const STDOUT = 1;

/**
 * Runs a person's patterns for the matcher, one job a line, until its standard input ends. A process
 * and not a thread: a regular expression that runs away cannot be stopped in a thread.
 */
export async function runPatternWorker(): Promise<number> {
  const search = new PatternSearch();
  // Buffered output would be lost when a pattern runs away.
  const say = (line: string) => void writeSync(STDOUT, `${line}\n`);
  say(READY);
  for await (const line of console) {
    const job = JSON.parse(line) as PatternJob;
    const { user, system } = process.cpuUsage();
    say(`${BEGIN}${(user + system) / 1000}`);
    say(JSON.stringify(search.run(job, (index) => say(`${AT}${index}`))));
  }
  return 0;
}
