/** What is asked once more before it is chosen. */
export type Danger = "grant" | "delete" | "force" | "root" | "internet";

export interface Risk {
  readonly danger: Danger;
  /** The program and the word that make it dangerous, as they are written; of a grant nothing. */
  readonly command: string;
}

const DECLINES = /^\s*(no|cancel|deny|reject|skip)\b/i;
const GRANT =
  /\b(don.?t|do not|never) ask\b|\balways\b|\b(allow|accept|approve) all\b|\bauto-?(accept|approve)\b|\b(this|the) session\b/i;
/** Of what is granted, that which outlives the session. */
const OUTLIVES = /\bask\b|\balways\b|\b(allow|accept|approve) all\b/i;
const SESSION = /\b(this|the|current) session\b/i;

/** Whether an option grants more than what is asked now: it wears a shield. */
export const isGrant = (label: string): boolean => GRANT.test(label) && !DECLINES.test(label);

/** Whether it grants that for longer than the session. */
export const isStandingGrant = (label: string): boolean =>
  isGrant(label) && OUTLIVES.test(label) && !SESSION.test(label);

/**
 * The first dangerous command that an option with this label may run, in the order of the table; an
 * option that declines runs none. Marks of quoting are left out and a break between lines is read as
 * a space and as nothing, since a screen wraps where it likes: what is only quoted is asked about
 * once too often, what is run is not missed.
 */
export function commandRisk(
  label: string,
  lines: readonly string[],
  isAsked: (danger: Danger) => boolean,
): Risk | null {
  if (DECLINES.test(label)) return null;
  const plain = [...lines, label].map((line) =>
    line.normalize("NFKC").replace(/["'\\\p{Cf}]/gu, ""),
  );
  const texts = [plain.join(" "), plain.map((line) => line.trim()).join("")];
  for (const find of TABLE)
    for (const text of texts) {
      const risk = find(text);
      if (risk !== null && isAsked(risk.danger)) return risk;
    }
  return null;
}

type Find = (text: string) => Risk | null;

const isLong = (word: string, option: string): boolean =>
  word.length > 2 && (option.startsWith(word) || word.startsWith(option));
const isShort = (word: string, letters: RegExp): boolean =>
  /^-[a-z0-9]+$/i.test(word) && letters.test(word);

/** A program with its subcommand, and the word behind them that makes it dangerous. */
const flagged =
  (danger: Danger, names: readonly string[], isFlag: (word: string) => boolean): Find =>
  (text) => {
    for (const command of text.split(/[;|&()`{}<>]/)) {
      const words = command.split(/\s+/).filter((word) => word !== "");
      const flag = wordAfter(words, names, isFlag);
      if (flag !== null) return { danger, command: [...names, flag].join(" ") };
    }
    return null;
  };

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
    "delete",
    ["rm"],
    (word) => isShort(word, /[rf]/i) || isLong(word, "--recursive") || isLong(word, "--force"),
  ),
  flagged("delete", ["git", "reset"], (word) => isLong(word, "--hard")),
  flagged("delete", ["git", "clean"], (word) => isShort(word, /f/i) || isLong(word, "--force")),
  flagged(
    "force",
    ["git", "push"],
    (word) => isShort(word, /f/i) || isLong(word, "--force") || /^\+\S/.test(word),
  ),
  runsAsRoot,
  runsFromInternet,
];

function runsAsRoot(text: string): Risk | null {
  const command = programsOf(text).find((name) => name === "sudo" || name === "doas");
  return command === undefined ? null : { danger: "root", command };
}

const SHELLS: ReadonlySet<string> = new Set("sh bash zsh dash ash ksh fish eval source".split(" "));
const isShell = (name: string): boolean => SHELLS.has(name);
const isFetch = (name: string): boolean => name === "curl" || name === "wget";

/** Into a pipe that ends in a shell, or from a substitution that a shell runs. */
function runsFromInternet(text: string): Risk | null {
  const stages = text.split(/(?<!\|)\|(?!\|)/).map(programsOf);
  const from = stages.findIndex((names) => names.some(isFetch));
  const isPiped = from >= 0 && stages.slice(from + 1).some((names) => names.some(isShell));
  const before = text.split(/[$<]\(|`/).map(programsOf);
  const runs = before.findIndex((names) => names.some(isShell) || names.at(-1) === ".");
  const isRun = runs >= 0 && before.slice(runs + 1).some((names) => names.some(isFetch));
  return isPiped || isRun ? { danger: "internet", command: "" } : null;
}

const programsOf = (text: string): readonly string[] =>
  text
    .split(/[\s;|&()`{}<>$]+/)
    .filter((word) => word !== "")
    .map(programOf);

/** `/bin/rm` is `rm`. */
const programOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1).toLowerCase();
