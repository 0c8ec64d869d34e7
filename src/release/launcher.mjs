#!/usr/bin/env node
// Starts the executable of this platform, an optional dependency that npm has installed.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const base = `panewatch-${process.platform}-${process.arch}`;
const isMusl =
  process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
const name = isMusl ? `${base}-musl` : base;

let executable;
try {
  executable = require.resolve(`${name}/panewatch`);
} catch {
  process.stderr.write(
    `panewatch: there is no executable for this platform (${name}). ` +
      "Where it was left out, install again without --omit=optional.\n",
  );
  process.exit(1);
}

// Set before the start: a signal right after it must reach the program too. A terminal sends SIGINT to
// both processes, so it is not handed on.
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
process.on("SIGINT", () => {});
const child = spawn(executable, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  process.stderr.write(`panewatch: ${executable} cannot be started: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
