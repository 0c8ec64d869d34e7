import {
  type ArgDef,
  type CommandDef,
  defineCittyPlugin,
  type ParsedArgs,
  runCommand,
} from "citty";
import { parseArgs } from "node:util";
import { StartupError } from "../errors.ts";
import { print } from "../lib/print.ts";
import { didYouMean } from "../lib/words.ts";

/** What Tab offers for a value: names that the service knows, or fixed words. */
export type Choices = "panes" | "prompts" | "hosts" | readonly string[];

/** A flag, or an operand (`positional`); the last operand may take any number of words (`many`). */
export type Arg = ArgDef & { alias?: string | string[]; many?: true; choices?: Choices };
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
    plugins: [strict],
    // citty parses by these definitions.
    run: ({ args: parsed }) => run(parsed as ParsedArgs<A>),
  };
}

/**
 * Refuses what citty lets through: unknown flags, a flag without its value, `--no-x`, surplus
 * words.
 */
const strict = defineCittyPlugin({
  name: "strict",
  setup({ rawArgs, cmd }) {
    // The command comes from `defineCommand`.
    const { meta, args } = cmd as Command;
    const operands = operandsOf({ args });
    let positionals: string[];
    try {
      ({ positionals } = parseArgs({
        args: rawArgs,
        options: optionsOf(args),
        strict: true,
        allowPositionals: true,
      }));
    } catch (error) {
      throw new StartupError(
        `${sentenceOf(error, args)}; see panewatch ${`${meta.name} `.trimStart()}--help`,
      );
    }
    const surplus = positionals[operands.length];
    if (surplus !== undefined && !operands.at(-1)?.many)
      throw new StartupError(
        `unexpected argument ${JSON.stringify(surplus)}; see panewatch ${meta.name} --help`,
      );
  },
});

function optionsOf(args: Args) {
  const flags = Object.entries(args).filter(([, { type }]) => type !== "positional");
  return Object.fromEntries(
    flags.map(([name, { type, alias }]) => [
      name,
      {
        type: type === "boolean" ? ("boolean" as const) : ("string" as const),
        ...(alias === undefined ? {} : { short: String(alias) }),
      },
    ]),
  );
}

function sentenceOf(error: unknown, args: Args): string {
  const { message = "", code } = error as { message?: string; code?: string };
  const [, typed = ""] = /'(?:-\w, )?(-[^' ]*)/.exec(message) ?? [];
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION")
    return unknownFlag(typed, flagsOf({ args }).flatMap(spellings));
  return `the flag ${typed} ${message.includes("does not take") ? "takes no" : "needs a"} value`;
}

const unknownFlag = (typed: string, known: readonly string[]): string =>
  `unknown flag ${typed}${didYouMean(
    typed,
    known.filter((one) => one.startsWith("--")),
  )}`;

/**
 * The command with the most words that begin the line, and the line without them. Flags may stand
 * anywhere before `--`.
 * @throws StartupError
 */
export function findCommand(
  argv: readonly string[],
  commands: readonly Command[],
): { command: Command; rawArgs: string[] } {
  const flags = commands.flatMap(flagsOf);
  const valued = new Set(flags.filter(valueOf).flatMap(spellings));
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const places = [...argv.keys()].filter(
    (at) => at < end && !isFlag(argv[at] ?? "") && !valued.has(argv[at - 1] ?? ""),
  );
  const words = places.map((at) => argv[at] ?? "");
  const command = longestOf(commands, words);
  const count = command ? commandWords(command).length : 0;
  if (!command || (count === 0 && words.length > 0)) {
    // The value of an unknown flag looks like a command.
    const known = flags.flatMap(spellings);
    const stray = argv.slice(0, end).find((word) => isFlag(word) && !known.includes(nameOf(word)));
    if (stray) throw new StartupError(`${unknownFlag(nameOf(stray), known)}; see panewatch --help`);
    throw unknownCommand(words, commands);
  }
  const own = new Set(places.slice(0, count));
  return { command, rawArgs: argv.filter((_, at) => !own.has(at)) };
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

function unknownCommand(words: readonly string[], commands: readonly Command[]): StartupError {
  const [first = ""] = words;
  const names = commands.flatMap(({ meta }) => (meta.hidden ? [] : meta.name || []));
  const below = names.filter((name) => name.startsWith(`${first} `));
  const hint =
    below.length > 0
      ? `; there is: ${below.join(", ")}`
      : `${didYouMean(first, names)}; see panewatch --help`;
  return new StartupError(`unexpected argument ${JSON.stringify(first)}${hint}`);
}

/** The exit code of a command line of this command. @throws StartupError */
export async function runCommandLine(command: Command, rawArgs: string[]): Promise<number> {
  try {
    const { result } = await runCommand(command, { rawArgs });
    if (typeof result !== "string") return Number(result);
    print(result);
    return 0;
  } catch (error) {
    // citty itself refuses a missing operand.
    if (error instanceof Error && error.name === "CLIError")
      throw new StartupError(`${error.message}; see panewatch ${command.meta.name} --help`);
    throw error;
  }
}

const nameOf = (flag: string): string => flag.split("=", 1)[0] ?? "";
const isFlag = (word: string): boolean => word.startsWith("-") && word !== "-";

export const commandWords = ({ meta }: Pick<Command, "meta">): readonly string[] =>
  meta.name.split(" ").filter(Boolean);

export type NamedArg = Arg & { readonly name: string };

const named = ({ args }: Pick<Command, "args">): readonly NamedArg[] =>
  Object.entries(args).map(([name, arg]) => ({ name, ...arg }));

export const flagsOf = (command: Pick<Command, "args">): readonly NamedArg[] =>
  named(command).filter(({ type }) => type !== "positional");

export const operandsOf = (command: Pick<Command, "args">): readonly NamedArg[] =>
  named(command).filter(({ type }) => type === "positional");

/** Name of a flag's value in the help; null: it takes none. */
export const valueOf = ({ name, type, valueHint }: NamedArg): string | null =>
  type === "boolean" ? null : (valueHint ?? name);

export const spellings = ({ name, alias }: NamedArg): readonly string[] =>
  alias === undefined ? [`--${name}`] : [`--${name}`, `-${alias}`];
