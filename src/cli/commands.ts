import { CONFIG_FLAGS } from "../config/flags.ts";
import { FIELDS } from "../config/fields.ts";
import type { Command, Flag, Flags, Operand } from "./arguments.ts";

/** A command with what it does; the result is the exit code. */
export interface RunnableCommand extends Command {
  run: (flags: Flags, operands: readonly string[]) => Promise<number>;
}

const HELP: Flag = { name: "help", alias: "h", help: "Print this page." };
const VERSION: Flag = { name: "version", help: "Print the version, and who installed it." };
export const CONFIG: Flag = {
  name: "config",
  alias: "c",
  value: "path",
  help: "YAML file; state then lives beside it instead of in ~/.panewatch.",
};

/** `--config` and everything that overrides it. */
export const SERVICE_FLAGS: readonly Flag[] = [
  CONFIG,
  ...CONFIG_FLAGS.map(({ name, key, takesValue, help }) => ({
    name,
    help,
    ...(takesValue ? { value: hintOf(key) } : {}),
  })),
];

export function command(
  words: string,
  help: string,
  flags: readonly Flag[],
  run: RunnableCommand["run"],
  operands: readonly Operand[] = [],
): RunnableCommand {
  const list = words === "" ? [] : words.split(" ");
  const own = list.length === 0 ? [...flags, VERSION, HELP] : [...flags, HELP];
  return { words: list, help, flags: own, operands, run };
}

function hintOf(key: keyof typeof FIELDS): string {
  return typeof FIELDS[key].default === "number" ? "number" : (key.split(".").at(-1) ?? key);
}
