import { COMMANDS } from "./cli/tree.ts";
import { pick, runPicked } from "./cli/command.ts";
import { StartupError } from "./errors.ts";
import { UnwritableError } from "./lib/json-file.ts";

export async function main(argv: readonly string[]): Promise<number> {
  try {
    const { picked, rawArgs } = pick(argv, COMMANDS);
    const asks = (flag: string) => flagsBefore(rawArgs).includes(flag);
    if (!asks("--help") && !asks("-h")) return await runPicked(picked, rawArgs);
    process.stdout.write((await import("./cli/help.ts")).renderHelp(picked, COMMANDS));
    return 0;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) {
      process.stderr.write(`panewatch: ${Bun.inspect(error)}\n`);
      return 1;
    }
    process.stderr.write(`panewatch: ${reason.replace(/\s+/g, " ")}\n`);
    return 2;
  }
}

const flagsBefore = (rawArgs: readonly string[]): readonly string[] =>
  rawArgs.includes("--") ? rawArgs.slice(0, rawArgs.indexOf("--")) : rawArgs;

/** One sentence for what the person can fix; null for a fault of ours, which shows its stack. */
function reasonOf(error: unknown): string | null {
  if (error instanceof StartupError || error instanceof UnwritableError) return error.message;
  // A system error: missing rights, a full disk, no more descriptors.
  return error instanceof Error && "syscall" in error ? error.message : null;
}
