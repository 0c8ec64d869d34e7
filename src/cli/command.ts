import { type ArgDef, type ArgsDef, type CommandDef, type ParsedArgs, runCommand } from "citty";
import { parseArgs } from "node:util";
import { StartupError } from "../errors.ts";
import { print } from "../lib/print.ts";
import { didYouMean } from "../lib/words.ts";

/** What Tab offers for a value: names that the service knows, or fixed words. */
export type Choices = "panes" | "prompts" | "hosts" | readonly string[];

/** A flag, or an operand (`positional`); the last operand may take any number of words (`many`). */
export type Arg = ArgDef & { alias?: string; many?: true; choices?: Choices };
type Args = Readonly<Record<string, Arg>>;

/** A command of citty, with what help, completions and the manual page need. */
export type Command = Omit<CommandDef, "meta" | "args"> & {
  meta: { readonly name: string; readonly description: string; readonly hidden: boolean };
  args: Record<string, Arg>;
};

const HELP = { type: "boolean", alias: "h", description: "Print this page." } as const;

/**
 * @param run imports its own module, so that no command loads what another one needs; gives the
 * exit code, or the text to print for 0
 */
export function defineCommand<const A extends Args>(
  name: string,
  description: string,
  args: A,
  run: (args: ParsedArgs<A>) => Promise<number | string>,
  hidden = false,
): Command {
  return {
    meta: { name, description, hidden },
    args: { ...args, help: HELP },
    // citty parses by these definitions.
    run: ({ args: parsed }) => run(parsed as ParsedArgs<A>),
  };
}

/**
 * What stands in a line: words, flags with their values, and `--`. An unknown flag has no value.
 */
export function tokensOf(line: readonly string[], flags: readonly NamedArg[]) {
  const options = flags.map((flag) => {
    const type = valueOf(flag) === null ? ("boolean" as const) : ("string" as const);
    return [flag.name, { type, ...(flag.alias ? { short: flag.alias } : {}) }] as const;
  });
  return parseArgs({
    args: [...line],
    options: Object.fromEntries(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens;
}

/**
 * The command with the most words that begin the line, and the line without them. Flags may stand
 * anywhere before `--`.
 * @throws StartupError
 */
export function findCommand(
  argv: readonly string[],
  commands: readonly Command[],
): { command: Command; rawArgs: string[]; isHelp: boolean } {
  const flags = commands.flatMap(flagsOf);
  const tokens = tokensOf(argv, flags);
  const end = tokens.find(({ kind }) => kind === "option-terminator")?.index ?? argv.length;
  const words = tokens.flatMap((one) => (one.kind === "positional" && one.index < end ? one : []));
  const command = longestOf(
    commands,
    words.map(({ value }) => value),
  );
  const own = words.slice(0, command ? commandWords(command).length : 0);
  if (!command || (own.length === 0 && words.length > 0)) {
    const typed = tokens.flatMap((one) => (one.kind === "option" ? one : []));
    // The value of an unknown flag looks like a command.
    const stray = typed.find(({ name }) => !flags.some((flag) => flag.name === name));
    if (stray) throw new StartupError(`${unknownFlag(stray.rawName, flags)}; see panewatch --help`);
    throw unknownCommand(words[0]?.value ?? "", commands);
  }
  return {
    command,
    rawArgs: argv.filter((_, at) => !own.some(({ index }) => index === at)),
    isHelp: tokens.some((one) => one.kind === "option" && one.name === "help"),
  };
}

/** The command with the most words that these begin with. */
export function longestOf(
  commands: readonly Command[],
  words: readonly string[],
): Command | undefined {
  return commands
    .filter((one) => commandWords(one).every((word, at) => word === words[at]))
    .toSorted((one, other) => commandWords(other).length - commandWords(one).length)[0];
}

function unknownCommand(first: string, commands: readonly Command[]): StartupError {
  const names = commands.flatMap(({ meta }) => (meta.hidden ? [] : meta.name || []));
  const below = names.filter((name) => name.startsWith(`${first} `));
  const hint =
    below.length > 0
      ? `; there is: ${below.join(", ")}`
      : `${didYouMean(first, names)}; see panewatch --help`;
  return new StartupError(`unexpected argument ${JSON.stringify(first)}${hint}`);
}

const unknownFlag = (typed: string, flags: readonly NamedArg[]): string => {
  const known = flags.map(({ name }) => `--${name}`);
  return `unknown flag ${typed}${didYouMean(typed, known)}`;
};

/** The exit code of a command line of this command. @throws StartupError */
export async function runCommandLine(command: Command, rawArgs: string[]): Promise<number> {
  const fault = lineFault(command, rawArgs);
  const help = ["panewatch", ...commandWords(command), "--help"].join(" ");
  if (fault !== null) throw new StartupError(`${fault}; see ${help}`);
  const { result } = await runCommand<ArgsDef>(command, { rawArgs });
  if (typeof result !== "string") return Number(result);
  print(result);
  return 0;
}

/** Citty lets through unknown flags, flags without their value, `--no-x` and surplus words. */
function lineFault(command: Command, rawArgs: readonly string[]): string | null {
  const [flags, operands] = [flagsOf(command), operandsOf(command)];
  const words: string[] = [];
  for (const token of tokensOf(rawArgs, flags)) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const flag = flags.find((one) => one.name === name);
    if (!flag) return unknownFlag(rawName, flags);
    const isValued = valueOf(flag) !== null;
    const isNext = isValued && !inlineValue && /^-./.test(value ?? "");
    if (isNext || isValued === (value === undefined))
      return `the flag ${rawName} ${isValued ? "needs a" : "takes no"} value`;
  }
  const [surplus] = operands.at(-1)?.many ? [] : words.slice(operands.length);
  if (surplus !== undefined) return `unexpected argument ${JSON.stringify(surplus)}`;
  const missing = operands[words.length];
  return missing && missing.required !== false ? `${missing.name.toUpperCase()} is missing` : null;
}

export const commandWords = ({ meta }: Command): readonly string[] =>
  meta.name.split(" ").filter(Boolean);

export type NamedArg = Arg & { readonly name: string };

const named = ({ args }: Command): readonly NamedArg[] =>
  Object.entries(args).map(([name, arg]) => ({ name, ...arg }));

export const flagsOf = (command: Command): readonly NamedArg[] =>
  named(command).filter(({ type }) => type !== "positional");

export const operandsOf = (command: Command): readonly NamedArg[] =>
  named(command).filter(({ type }) => type === "positional");

/** Name of a flag's value in the help; null: it takes none. */
export const valueOf = ({ name, type, valueHint }: NamedArg): string | null =>
  type === "boolean" ? null : (valueHint ?? name);

export const spellings = ({ name, alias }: NamedArg): readonly string[] =>
  alias === undefined ? [`--${name}`] : [`--${name}`, `-${alias}`];
