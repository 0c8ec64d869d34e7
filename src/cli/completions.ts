import type { Flags } from "../config/resolve.ts";
import { StartupError } from "../errors.ts";
import { blankControls } from "../lib/words.ts";
import {
  type Choices,
  type Command,
  commandWords,
  flagsOf,
  longestOf,
  operandsOf,
  spellings,
  tokensOf,
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
  const tokens = tokensOf(typed.slice(0, -1), flags);
  if (tokens.some(({ kind }) => kind === "option-terminator")) return "";
  const options = tokens.flatMap((one) => (one.kind === "option" ? one : []));
  const last = options.find((one) => one === tokens.at(-1) && one.value === undefined);
  const pending = flags.find((flag) => flag.name === last?.name && valueOf(flag) !== null);
  if (pending && valueOf(pending) === "path") return ":files\n";
  if (pending)
    return typeof pending.choices === "object" ? render(current, pending.choices.map(plain)) : "";
  const words = tokens.flatMap((one) => (one.kind === "positional" ? one.value : []));
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
  const config = options.findLast(({ name }) => name === "config")?.value;
  const names = kind === null ? [] : await known(kind, { config });
  return render(current, [...next, ...names.map(plain)]);
}

const plain = (word: string): Offer => ({ word, help: "" });

const render = (current: string, offers: readonly Offer[]): string =>
  offers
    .filter(({ word }) => word.startsWith(current) && word === blankControls(word))
    .map(({ word, help }) => `${word}\t${help}\n`)
    .join("");

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
