// What must begin at once goes its own way: the rest of the program is not evaluated for it.
import { argv as started } from "node:process";

const argv = started.slice(2);
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Who reads a command's output may have seen enough: that ends it, and is no fault.
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`panewatch: cannot print: ${error.message}\n`);
  process.exit(1);
});
process.stderr.on("error", () => undefined);
const code = await run();
// An exit drops what a pipe has not taken yet, which is all beyond its first 64 KiB.
await new Promise<void>((resolve) => void process.stdout.end(() => resolve()));
// A write to a file that has failed is told only now.
await new Promise<void>((resolve) => setImmediate(resolve));
process.exit(code);

async function run(): Promise<number> {
  const [word] = argv;
  if (word === "status-line" && argv.length === 1)
    return (await import("./cli/panes/status-line.ts")).printStatusLine();
  if (word === "--version" && argv.length === 1)
    return (await import("./cli/install/installed.ts")).printVersion();
  if (word === "demo-pane") return (await import("./demo/pane.ts")).runDemoPane(argv.slice(1));
  if (word === "pattern-worker") return (await import("./pattern-worker.ts")).runPatternWorker();
  return (await import("./program.ts")).main(argv);
}
