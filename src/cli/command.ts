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

/** What Tab offers for a value: what the service knows now, or one of these words. */
export type Choices = "panes" | "prompts" | "hosts" | readonly string[];

/** A flag, or an operand (`positional`), of which the last may stand for any number of words. */
export type Arg = ArgDef & { alias?: string | string[]; many?: true; choices?: Choices };
type Args = Readonly<Record<string, Arg>>;

/** A command as citty runs it, with what help, completions and the manual page tell of it. */
export type Command = Omit<CommandDef, "meta" | "args"> & {
  meta: { readonly name: string; readonly description: string; readonly hidden: boolean };
  args: Record<string, Arg>;
};

const HELP = { type: "boolean", alias: "h", description: "Print this page." } as const;

/**
 * `run` imports its module itself: no command reads what another one needs. It gives its exit code, or
 * what is to be printed where nothing can fail any more.
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
    // citty parses by these very definitions.
    run: ({ args: parsed }) => run(parsed as ParsedArgs<A>),
  };
}

/** Refuses what citty lets through: unknown flags, a flag without its value, `--no-x`, surplus words. */
const strict = defineCittyPlugin({
  name: "strict",
  setup({ rawArgs, cmd }) {
    // Plugins are handed the very command that `defineCommand` has made.
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
 * The command whose words the line begins with, the longest first, and the line without them. Flags
 * may stand anywhere; what follows `--` is none.
 * @throws StartupError
 */
export function pick(
  argv: readonly string[],
  commands: readonly Command[],
): { picked: Command; rawArgs: string[] } {
  const flags = commands.flatMap(flagsOf);
  const valued = new Set(flags.filter(valueOf).flatMap(spellings));
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const places = [...argv.keys()].filter(
    (at) => at < end && !isFlag(argv[at] ?? "") && !valued.has(argv[at - 1] ?? ""),
  );
  const words = places.map((at) => argv[at] ?? "");
  const picked = longestOf(commands, words);
  const count = picked ? commandWords(picked).length : 0;
  if (!picked || (count === 0 && words.length > 0)) {
    // Of a flag that is none, the value looks like a command.
    const known = flags.flatMap(spellings);
    const stray = argv.slice(0, end).find((word) => isFlag(word) && !known.includes(nameOf(word)));
    if (stray) throw new StartupError(`${unknownFlag(nameOf(stray), known)}; see panewatch --help`);
    throw unknownCommand(words, commands);
  }
  const own = new Set(places.slice(0, count));
  return { picked, rawArgs: argv.filter((_, at) => !own.has(at)) };
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
export async function runPicked(picked: Command, rawArgs: string[]): Promise<number> {
  try {
    const { result } = await runCommand(picked, { rawArgs });
    if (typeof result !== "string") return Number(result);
    print(result);
    return 0;
  } catch (error) {
    // citty's own refusals: an operand that is missing.
    if (error instanceof Error && error.name === "CLIError")
      throw new StartupError(`${error.message}; see panewatch ${picked.meta.name} --help`);
    throw error;
  }
}

const nameOf = (flag: string): string => flag.split("=", 1)[0] ?? "";
const isFlag = (word: string): boolean => word.startsWith("-") && word !== "-";

export const commandWords = ({ meta }: Pick<Command, "meta">): readonly string[] =>
  meta.name.split(" ").filter(Boolean);

export type Named = Arg & { readonly name: string };

const named = ({ args }: Pick<Command, "args">): readonly Named[] =>
  Object.entries(args).map(([name, arg]) => ({ name, ...arg }));

export const flagsOf = (command: Pick<Command, "args">): readonly Named[] =>
  named(command).filter(({ type }) => type !== "positional");

export const operandsOf = (command: Pick<Command, "args">): readonly Named[] =>
  named(command).filter(({ type }) => type === "positional");

/** Name of a flag's value in the help; null: it takes none. */
export const valueOf = ({ name, type, valueHint }: Named): string | null =>
  type === "boolean" ? null : (valueHint ?? name);

export const spellings = ({ name, alias }: Named): readonly string[] =>
  alias === undefined ? [`--${name}`] : [`--${name}`, `-${alias}`];
