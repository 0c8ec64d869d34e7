import { StartupError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";

export interface Flag {
  name: string;
  /** One letter, for `-c`. */
  alias?: string;
  /** Name of its value in the help; absent: the flag takes none. */
  value?: string;
  help: string;
}

export interface Command {
  /** What is typed: `["names", "clear"]`; empty for the service itself. */
  words: readonly string[];
  help: string;
  flags: readonly Flag[];
  /** Words that may follow; the last may stand for any number of them. */
  operands?: readonly Operand[];
}

export interface Operand {
  name: string;
  help: string;
  isMany?: boolean;
}

export type Flags = ReadonlyMap<string, string | true>;

/**
 * Reads a command line strictly: nothing unknown, nothing left over, no value missing. What follows
 * `--` is no flag.
 * @throws StartupError with the one line to print.
 */
export function parseArguments<T extends Command>(
  argv: readonly string[],
  commands: readonly T[],
): { command: T; flags: Flags; operands: readonly string[] } {
  const known = commands.flatMap((command) => command.flags);
  const flags = new Map<string, string | true>();
  const words: string[] = [];
  const end = argv.indexOf("--");
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? "";
    if (i === end) continue;
    if (!isFlag(argument) || (end >= 0 && i > end)) {
      words.push(argument);
      continue;
    }
    const [typed, inline] = splitAssignment(argument);
    const flag = requireFlag(typed, known);
    if (flag.value === undefined) {
      if (inline !== null) throw new StartupError(`${typed} takes no value`);
      flags.set(flag.name, true);
      continue;
    }
    // A value that begins with a dash is written --name=-value: else a forgotten value would
    // swallow the next flag.
    const next = argv[i + 1];
    if (inline === null && (next === undefined || isFlag(next)))
      throw new StartupError(`${typed} needs a value: ${typed} <${flag.value}>`);
    flags.set(flag.name, inline ?? next ?? "");
    if (inline === null) i++;
  }
  const command = requireCommand(words, commands);
  requireOwnFlags(command, flags);
  return { command, flags, operands: words.slice(command.words.length) };
}

function isFlag(argument: string): boolean {
  return argument.startsWith("-") && argument !== "-";
}

function splitAssignment(argument: string): [string, string | null] {
  const at = argument.indexOf("=");
  return at < 0 ? [argument, null] : [argument.slice(0, at), argument.slice(at + 1)];
}

function requireFlag(typed: string, known: readonly Flag[]): Flag {
  const flag = known.find((one) => typed === `--${one.name}` || typed === shortOf(one));
  if (flag) return flag;
  const names = known.map(({ name }) => `--${name}`);
  throw new StartupError(`unknown flag ${typed}${nearest(typed, names)}; see panewatch --help`);
}

function shortOf({ alias }: Flag): string | null {
  return alias === undefined ? null : `-${alias}`;
}

function requireCommand<T extends Command>(words: readonly string[], commands: readonly T[]): T {
  const command = commands.find((one) => matches(one, words));
  if (command) return command;
  const typed = words.join(" ");
  const namesOf = (list: readonly T[]) => list.map((one) => one.words.join(" ")).filter(Boolean);
  const below = namesOf(commands.filter(({ words: [first] }) => first === words[0]));
  const hint =
    below.length > 0
      ? `; there is: ${below.join(", ")}`
      : `${nearest(typed, namesOf(commands))}; see panewatch --help`;
  throw new StartupError(`unexpected argument ${JSON.stringify(typed)}${hint}`);
}

function matches({ words, operands = [] }: Command, typed: readonly string[]): boolean {
  const most = operands.at(-1)?.isMany ? Infinity : words.length + operands.length;
  const fits = typed.length >= words.length && typed.length <= most;
  return fits && words.every((word, index) => word === typed[index]);
}

function requireOwnFlags(command: Command, flags: Flags): void {
  const own = new Set(command.flags.map(({ name }) => name));
  for (const name of flags.keys()) {
    if (own.has(name)) continue;
    const where = command.words.length > 0 ? `panewatch ${command.words.join(" ")}` : "the service";
    throw new StartupError(`--${name} is no flag of ${where}`);
  }
}
