import type { Flags } from "../config/resolve.ts";
import { StartupError } from "../errors.ts";
import {
  type Choices,
  type Command,
  commandWords,
  type Named,
  flagsOf,
  longestOf,
  operandsOf,
  spellings,
  valueOf,
} from "./command.ts";
import bash from "./completions/bash.txt";
import fish from "./completions/fish.txt";
import zsh from "./completions/zsh.txt";

/** What each shell reads, with the file name that its packages expect: it asks for offers on Tab. */
export const COMPLETIONS = {
  bash: { file: "panewatch.bash", script: bash },
  zsh: { file: "_panewatch", script: zsh },
  fish: { file: "panewatch.fish", script: fish },
};

interface Offer {
  word: string;
  help: string;
}

type Known = (kind: Extract<Choices, string>, typed: Flags) => Promise<readonly string[]>;

/** What may stand in place of the last word: a line each, with its help behind a tab; or `:files`. */
export async function offersFor(
  typed: readonly string[],
  commands: readonly Command[],
  known: Known = knownNow,
): Promise<string> {
  const current = typed.at(-1) ?? "";
  const flags = commands.flatMap(flagsOf);
  const { words, awaited, config, isOver } = readLine(typed.slice(0, -1), flags);
  if (isOver) return "";
  const isGlued = /^--[^=]+=/.test(current);
  const flag = isGlued ? flagNamed(current.split("=", 1)[0] ?? "", flags) : awaited;
  if (flag && valueOf(flag) === "path" && !isGlued) return ":files\n";
  if (flag) {
    const before = isGlued ? `--${flag.name}=` : "";
    const choices = typeof flag.choices === "object" ? flag.choices : [];
    return render(current, choices.map((word) => before + word).map(plain));
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
    .filter(({ word }) => word.startsWith(current))
    .map(({ word, help }) => `${word}\t${help}\n`)
    .join("");

const flagNamed = (typed: string, flags: readonly Named[]): Named | undefined =>
  flags.find((flag) => valueOf(flag) && spellings(flag).includes(typed));

/** The words before the last one: flags before a command and their values are none of its words. */
function readLine(typed: readonly string[], flags: readonly Named[]) {
  const words: string[] = [];
  let config: string | undefined;
  let awaited: Named | undefined;
  for (const word of typed) {
    const [name = "", value] = word.split(/=(.*)/s);
    if (awaited?.name === "config") config = word;
    else if (name === "--config" && value !== undefined) config = value;
    if (!awaited && !word.startsWith("-")) words.push(word);
    awaited = awaited ? undefined : flagNamed(word, flags);
  }
  return { words, config, awaited, isOver: typed.includes("--") };
}

/** What may follow these words in commands; one that several begin with stands for all of them. */
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

/** Nothing where no service answers: there is no place for a reason. */
const knownNow: Known = async (kind, typed) => {
  const { stateDirFor } = await import("./state-dir.ts");
  const { promptCode, readPanes } = await import("./panes/service-panes.ts");
  try {
    if (kind === "hosts") {
      const { readHosts } = await import("./hosts.ts");
      return (await readHosts(typed)).filter((one) => one.kind === "ssh").map(({ name }) => name);
    }
    const panes = await readPanes(stateDirFor(typed));
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
