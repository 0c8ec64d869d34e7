// Commands that must begin at once are imported alone, without the rest of the program.
import { argv as started } from "node:process";
import { complain, PrintError } from "./lib/print.ts";

const argv = started.slice(2);
process.exit(await run().catch(unprinted));

async function run(): Promise<number> {
  const [word] = argv;
  if (word === "status-line" && argv.length === 1)
    return (await import("./cli/panes/status-line.ts")).printStatusLine();
  if (word === "--version" && argv.length === 1)
    return (await import("./cli/install/installation.ts")).printVersion();
  if (word === "demo-pane") return (await import("./demo/pane.ts")).runDemoPane(argv.slice(1));
  if (word === "pattern-worker") return (await import("./pattern-worker.ts")).runPatternWorker();
  return (await import("./program.ts")).main(argv);
}

function unprinted(error: unknown): number {
  if (!(error instanceof PrintError)) throw error;
  if (error.isUnread) return 0;
  complain(error.message);
  return 1;
}
