import {
  type Choices,
  type Command,
  type Flag,
  flagsOf,
  operandsOf,
  spellings,
  wordsOf,
} from "../command.ts";

export interface Place {
  /** `""`, `"service"`, `"service install"`. */
  typed: string;
  /** No more words of a command can follow: operands may. */
  isCommand: boolean;
  next: readonly { word: string; help: string }[];
  flags: readonly Flag[];
  /** What its operands may be. */
  choices: Choices | null;
}

/** Every place of a command line where something can be completed. */
export function placesOf(commands: readonly Command[]): readonly Place[] {
  const shown = commands.filter(({ meta }) => !meta.hidden);
  const typed = shown.flatMap((one) => {
    const words = wordsOf(one);
    return [...words, ""].map((_, count) => words.slice(0, count).join(" "));
  });
  return [...new Set(typed)].map((one) => {
    const own = shown.find(({ meta }) => meta.name === one);
    const next = nextWords(one, shown);
    const [operand] = own ? operandsOf(own) : [];
    return {
      typed: one,
      isCommand: next.length === 0,
      next,
      flags: own ? flagsOf(own) : [],
      choices: operand?.choices ?? null,
    };
  });
}

function nextWords(typed: string, commands: readonly Command[]): Place["next"] {
  const before = typed === "" ? [] : typed.split(" ");
  const below = commands
    .map((one) => ({ words: wordsOf(one), help: one.meta.description }))
    .filter(
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

/** Every spelling of the flags that have a value, of all commands. */
export function valueFlags(
  commands: readonly Command[],
  is: (flag: Flag) => boolean = () => true,
): readonly string[] {
  const flags = commands.flatMap(flagsOf);
  return [...new Set(flags.filter((flag) => flag.value && is(flag)).flatMap(spellings))];
}

export const isPath = ({ value }: Flag): boolean => value === "path";

/** The flags whose values are known words, by spelling, with these words. */
export function chosenFlags(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const flags = commands.flatMap(flagsOf);
  return new Map(
    flags.flatMap((flag) =>
      typeof flag.choices === "object"
        ? spellings(flag).map((name) => [name, flag.choices as readonly string[]] as const)
        : [],
    ),
  );
}
