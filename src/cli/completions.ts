import type { Flags } from "../config/resolve.ts";
import { StartupError } from "../errors.ts";
import { blankControls } from "../lib/words.ts";
import {
  type Choices,
  type Command,
  commandWords,
  type NamedArg,
  flagsOf,
  longestOf,
  operandsOf,
  spellings,
  valueOf,
} from "./command.ts";
import bash from "./completions/bash.txt";
import fish from "./completions/fish.txt";
import zsh from "./completions/zsh.txt";

/**
 * The script of each shell, which calls `completions offer` on Tab, and its file name in packages.
 */
export const COMPLETIONS = {
  bash: { file: "panewatch.bash", script: bash },
  zsh: { file: "_panewatch", script: zsh },
  fish: { file: "panewatch.fish", script: fish },
};

interface Offer {
  word: string;
  help: string;
}

type ChoiceSource = (kind: Extract<Choices, string>, typed: Flags) => Promise<readonly string[]>;

/** Offers for the last word, one per line, with the help after a tab; or `:files`. */
export async function offersFor(
  typed: readonly string[],
  commands: readonly Command[],
  known: ChoiceSource = serviceChoices,
): Promise<string> {
  const current = typed.at(-1) ?? "";
  const flags = commands.flatMap(flagsOf);
  const { words, pendingFlag, config, hasEnded } = readLine(typed.slice(0, -1), flags);
  if (hasEnded) return "";
  if (pendingFlag && valueOf(pendingFlag) === "path") return ":files\n";
  if (pendingFlag) {
    const { choices } = pendingFlag;
    return typeof choices === "object" ? render(current, choices.map(plain)) : "";
  }
  const shown = commands.filter(({ meta }) => !meta.hidden);
  const own = longestOf(shown, words);
  if (!own) return "";
  if (current.startsWith("-"))
    return render(
      current,
      flagsOf(own).flatMap((one) =>
        spellings(one).map((word) => ({ word, help: one.description ?? "" })),
      ),
    );
  const next = nextWords(words, shown);
  // Words that are no command have no operands.
  const [operand] = own.meta.name === "" ? [] : operandsOf(own);
  const kind = typeof operand?.choices === "string" ? operand.choices : null;
  const names = kind === null ? [] : await known(kind, { config });
  return render(current, [...next, ...names.map(plain)]);
}

const plain = (word: string): Offer => ({ word, help: "" });

const render = (current: string, offers: readonly Offer[]): string =>
  offers
    .filter(({ word }) => word.startsWith(current) && word === blankControls(word))
    .map(({ word, help }) => `${word}\t${help}\n`)
    .join("");

const flagNamed = (typed: string, flags: readonly NamedArg[]): NamedArg | undefined =>
  flags.find((flag) => valueOf(flag) && spellings(flag).includes(typed));

/** Reads the words before the last one; flags and their values are no words of a command. */
function readLine(typed: readonly string[], flags: readonly NamedArg[]) {
  const words: string[] = [];
  let config: string | undefined;
  let pendingFlag: NamedArg | undefined;
  for (const word of typed) {
    const [name = "", value] = word.split(/=(.*)/s);
    if (pendingFlag?.name === "config") config = word;
    else if (name === "--config" && value !== undefined) config = value;
    if (!pendingFlag && !word.startsWith("-")) words.push(word);
    pendingFlag = pendingFlag ? undefined : flagNamed(word, flags);
  }
  return { words, config, pendingFlag, hasEnded: typed.includes("--") };
}

/** The words that may follow in a command, each once for all its commands. */
function nextWords(words: readonly string[], commands: readonly Command[]): Offer[] {
  const depth = words.length;
  const below = commands.filter((one) => {
    const own = commandWords(one);
    return own.length > depth && words.every((word, at) => word === own[at]);
  });
  const byWord = Map.groupBy(below, (one) => commandWords(one)[depth] ?? "");
  return [...byWord].map(([word, all]) => {
    const whole = all.find((one) => commandWords(one).length === depth + 1);
    const rest = all.map((one) =>
      commandWords(one)
        .slice(depth + 1)
        .join(" "),
    );
    return { word, help: whole?.meta.description ?? rest.join(", ") };
  });
}

/** Empty where no service answers: completions have no place for a reason. */
const serviceChoices: ChoiceSource = async (kind, typed) => {
  const { promptCode, readPanes } = await import("./panes/service-panes.ts");
  try {
    if (kind === "hosts") {
      const { readHosts } = await import("./hosts.ts");
      return (await readHosts(typed)).filter((one) => one.kind === "ssh").map(({ name }) => name);
    }
    const panes = await readPanes(typed);
    if (kind === "panes") return panes.map(({ target }) => target);
    return panes.flatMap((pane) => {
      const code = promptCode(pane);
      return code === null ? [] : [`${pane.target}@${code}`];
    });
  } catch (error) {
    if (error instanceof StartupError) return [];
    throw error;
  }
};
