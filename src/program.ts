import { z } from "zod";
import { COMMANDS } from "./cli/tree.ts";
import { findCommand, runCommandLine } from "./cli/command.ts";
import { StartupError } from "./errors.ts";
import { UnwritableError } from "./lib/json-file.ts";
import { complain, print, PrintError } from "./lib/print.ts";
import { RunError } from "./lib/run.ts";

z.config({
  // Most schemas read one value of a run: to compile each costs more than it saves.
  jitless: true,
  // None of our schemas holds itself: the search for one that does makes every schema of a tree.
  memoizer: { attach: () => {}, guard: () => {}, alloc: (_schema, _payload, empty) => empty },
});

export async function main(argv: readonly string[]): Promise<number> {
  try {
    const { command, rawArgs, isHelp } = findCommand(argv, COMMANDS);
    if (!isHelp) return await runCommandLine(command, rawArgs);
    print((await import("./cli/help.ts")).renderHelp(command, COMMANDS));
    return 0;
  } catch (error) {
    if (error instanceof PrintError) throw error;
    const reason = reasonOf(error);
    if (reason === null) {
      complain(Bun.inspect(error));
      return 1;
    }
    complain(reason.replace(/\s+/g, " "));
    return 2;
  }
}

/** One sentence for a fault that the person can fix; null for a bug, which shows its stack. */
function reasonOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const isKnown = [StartupError, UnwritableError, RunError].some((kind) => error instanceof kind);
  // A system error, as missing rights or a full disk.
  return isKnown || "syscall" in error ? error.message : null;
}
