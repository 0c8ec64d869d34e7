// What must begin at once goes its own way: the rest of the program is not evaluated for it.
import { argv as started } from "node:process";

const argv = started.slice(2);
process.exit(await run());

async function run(): Promise<number> {
  const [word] = argv;
  if (word === "status-line" && argv.length === 1)
    return (await import("./cli/panes/status-line.ts")).printStatusLine();
  if (word === "pattern-worker") return (await import("./pattern-worker.ts")).runPatternWorker();
  return (await import("./program.ts")).main(argv);
}
