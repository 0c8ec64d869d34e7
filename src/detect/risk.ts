import { declines, isStandingGrant } from "../protocol/options.ts";
import type { Risk, RiskKind } from "../protocol/pane.ts";

/**
 * The dangerous commands in these lines, in the order of the table, or null. Quotes are left out,
 * `$IFS` is a blank, and a line break is read both as a space and as nothing, since screens wrap
 * anywhere: a quoted command may be found in vain, but none that would run is missed.
 */
export function commandRisk(lines: readonly string[]): Risk | null {
  const plain = lines.map((line) => line.normalize("NFKC").replace(/["'\\\p{Cf}]/gu, ""));
  const joined = [plain.join(" "), plain.map((line) => line.trim()).join("")];
  const texts = joined.map((text) => text.replace(/\$(?:IFS\b|\{IFS\})/g, " "));
  const commands = new Map<RiskKind, string>();
  for (const find of TABLE)
    for (const text of texts) {
      const [kind, command] = find(text) ?? [];
      if (kind !== undefined && !commands.has(kind)) commands.set(kind, command ?? "");
    }
  const [first] = commands.values();
  return first === undefined ? null : { kinds: [...commands.keys()], text: first };
}

/** The risk of this option beyond that of the request; declining has none. */
export function optionRisk(label: string, description: string): Risk | null {
  if (declines(label)) return null;
  const risk = commandRisk([label, description]);
  if (!isStandingGrant(label)) return risk;
  return { kinds: [...(risk?.kinds ?? []), "standing_grant"], text: risk?.text ?? "" };
}

/** A kind of danger, and the program and word that make it. */
type Find = (text: string) => readonly [RiskKind, string] | null;

const isLong = (word: string, option: string): boolean =>
  word.length > 2 && (option.startsWith(word) || word.startsWith(option));
const isShort = (word: string, letters: RegExp): boolean =>
  /^-[a-z0-9]+$/i.test(word) && letters.test(word);

/** Only for texts that name one of the programs: to split a long text takes a hundred times as long. */
function naming(programs: readonly string[], find: Find): Find {
  const isNamed = new RegExp(`\\b(?:${programs.join("|")})\\b`, "i");
  return (text) => (isNamed.test(text) ? find(text) : null);
}

/** A program, perhaps with a subcommand, and a word behind it that makes it dangerous. */
const flagged = (kind: RiskKind, names: readonly string[], isFlag: (word: string) => boolean) =>
  naming(names, (text) => {
    for (const command of text.split(/[;|&]/)) {
      // A substitution or a redirection may stand before the flag; a list of arguments has commas.
      const words = command.split(/[\s()`{}<>[\],]+/).filter((word) => word !== "");
      const flag = wordAfter(words, names, isFlag);
      if (flag !== null) return [kind, [...names, flag].join(" ")];
    }
    return null;
  });

function wordAfter(
  words: readonly string[],
  names: readonly string[],
  isFlag: (word: string) => boolean,
): string | null {
  let at = 0;
  for (const word of words) {
    const name = names[at];
    if (name === undefined) {
      if (isFlag(word.toLowerCase())) return word;
    } else if (programOf(word) === name) at += 1;
  }
  return null;
}

const TABLE: readonly Find[] = [
  flagged(
    "deletes",
    ["rm"],
    (word) => isShort(word, /[rf]/i) || isLong(word, "--recursive") || isLong(word, "--force"),
  ),
  flagged("deletes", ["find"], (word) => word === "-delete"),
  flagged("deletes", ["dd"], (word) => word.startsWith("of=") && word !== "of=/dev/null"),
  flagged("deletes", ["git", "reset"], (word) => isLong(word, "--hard")),
  flagged("deletes", ["git", "clean"], (word) => isShort(word, /f/i) || isLong(word, "--force")),
  flagged(
    "rewrites_history",
    ["git", "push"],
    (word) => isShort(word, /f/i) || isLong(word, "--force") || /^\+\S/.test(word),
  ),
  naming(["sudo", "doas"], runsAsRoot),
  naming(["curl", "wget"], runsFromInternet),
];

function runsAsRoot(text: string): ReturnType<Find> {
  const command = programsOf(text).find((name) => name === "sudo" || name === "doas");
  return command === undefined ? null : ["root", command];
}

const SHELLS: ReadonlySet<string> = new Set("sh bash zsh dash ash ksh fish eval source".split(" "));
const isShell = (name: string): boolean => SHELLS.has(name);
const INTERPRETER = /^(?:python[\d.]*|node|bun|deno|perl|ruby|php)$/;
/** An interpreter without a script or an option runs what it reads from the pipe. */
const runsInput = (name: string, i: number, words: readonly string[]): boolean =>
  isShell(name) || (INTERPRETER.test(name) && (words[i + 1] ?? "-") === "-");
const isFetch = (name: string): boolean => name === "curl" || name === "wget";

/** A download piped into a shell or an interpreter, or substituted into a command of a shell. */
function runsFromInternet(text: string): ReturnType<Find> {
  const stages = text.split(/(?<!\|)\|(?!\|)/);
  const from = stages.findIndex((stage) => programsOf(stage).some(isFetch));
  const commands = stages.slice(from + 1).flatMap((stage) => stage.split(/[;&)`]/));
  const isPiped = from >= 0 && commands.some((command) => programsOf(command).some(runsInput));
  const before = text.split(/[$<]\(|`/).map(programsOf);
  const runs = before.findIndex((names) => names.some(isShell) || names.at(-1) === ".");
  const isRun = runs >= 0 && before.slice(runs + 1).some((names) => names.some(isFetch));
  return isPiped || isRun ? ["runs_download", ""] : null;
}

/** `[sudo]` names who asks; other brackets enclose lists of arguments. */
const programsOf = (text: string): readonly string[] =>
  text
    .split(/(?:[\s;|&()`{}<>$,]|\[(?!\w+\]))+/)
    .filter((word) => word !== "")
    .map(programOf);

/** `/bin/rm` is `rm`. */
const programOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1).toLowerCase();
