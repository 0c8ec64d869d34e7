import type { Command, Flag } from "../arguments.ts";

/** What may follow after some words of a command line. */
export interface Place {
  /** `""`, `"service"`, `"service install"`. */
  typed: string;
  /** No more words of a command can follow: operands may. */
  isCommand: boolean;
  next: readonly { word: string; help: string }[];
  flags: readonly Flag[];
}

/** Every place of a command line where something can be completed. */
export function placesOf(commands: readonly Command[]): readonly Place[] {
  const typed = commands.flatMap(({ words }) =>
    [...words, ""].map((_, count) => words.slice(0, count).join(" ")),
  );
  return [...new Set(typed)].map((one) => {
    const own = commands.find(({ words }) => words.join(" ") === one);
    const next = nextWords(one, commands);
    return { typed: one, isCommand: next.length === 0, next, flags: own?.flags ?? [] };
  });
}

function nextWords(typed: string, commands: readonly Command[]): Place["next"] {
  const before = typed === "" ? [] : typed.split(" ");
  const below = commands.filter(
    ({ words }) => words.length > before.length && before.every((word, at) => word === words[at]),
  );
  const found = [...new Set(below.map(({ words }) => words[before.length] ?? ""))];
  return found.map((word) => {
    const same = below.filter(({ words }) => words[before.length] === word);
    const whole = same.find(({ words }) => words.length === before.length + 1);
    const rest = same.map(({ words }) => words.slice(before.length + 1).join(" "));
    return { word, help: whole?.help ?? rest.join(", ") };
  });
}

/** As they are typed: `--config`, and `-c` where it has one letter. */
export const spellings = ({ name, alias }: Flag): readonly string[] =>
  alias === undefined ? [`--${name}`] : [`--${name}`, `-${alias}`];

/** Every spelling of the flags that have a value; those of paths are completed with files. */
export function valueFlags(
  commands: readonly Command[],
  is: (value: string) => boolean = () => true,
): readonly string[] {
  const flags = commands.flatMap((command) => command.flags);
  const found = flags.filter(({ value }) => value !== undefined && is(value));
  return [...new Set(found.flatMap(spellings))];
}

export const isPath = (value: string): boolean => value === "path";
