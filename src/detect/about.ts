import type { About, AboutKind } from "../protocol/act.ts";
import type { PaneState } from "../protocol/pane.ts";

type Shown = Pick<PaneState, "status" | "question" | "evidence" | "agent">;

/**
 * The command or file that a prompt asks for, else its question; of an error the line that tells it, of
 * an idle agent what it said last. Null where nothing of that is known, and while it works.
 */
export function aboutOf({ status, question, evidence, agent }: Shown): About | null {
  if (status === "needs_input") return askedFor(evidence, question ?? "");
  const isTold = status === "error" || (status === "idle" && agent !== null);
  const [first] = evidence;
  return isTold && first !== undefined ? told("text", headline(first, evidence)) : null;
}

function askedFor(evidence: readonly string[], question: string): About | null {
  const command = COMMANDS.map((read) => read(evidence, question)).find((text) => text);
  if (command) return told("command", command);
  const file = fileIn(evidence);
  if (file !== null) return file;
  const asked = question.trim();
  if (asked === "") return null;
  return told(/\bwritten up a plan\b/.test(asked) ? "plan" : "question", asked);
}

const told = (kind: AboutKind, text: string, of: Partial<About> = {}): About => ({
  ...{ kind, text, file: null, added: null, removed: null },
  ...of,
});

type Read = (lines: readonly string[], question: string) => string | null;

/** Each gives null or nothing where only the whole evidence tells the command. */
const COMMANDS: readonly Read[] = [besidePrompt, belowBash, belowShell, indented];

const VERBS: Readonly<Record<string, string>> = {
  "Edit file": "Edit",
  "Create file": "Create",
  "Overwrite file": "Overwrite",
};

const FILES: readonly (readonly [RegExp, string])[] = [
  [/^\s*→ Edit (\S.*)$/, "Edit"],
  [/^\s*\?\s+Edit\s+(\S[^:]*):/, "Edit"],
  [/^\s*\?\s+WriteFile\s+Writing to (\S.*)$/, "Write"],
];

/** Of the first line alone, or the second below its heading: what follows may be a file's content. */
function fileIn([first = "", second = ""]: readonly string[]): About | null {
  const heading = VERBS[first.trim()];
  const named = FILES.map(([pattern, verb]) => [verb, pattern.exec(first)?.[1]] as const);
  for (const [verb, file = ""] of [[heading, second] as const, ...named]) {
    const path = file.trim();
    if (verb !== undefined && path !== "") return told("file", `${verb} ${path}`, { file: path });
  }
  const [, what, added, removed] = /^Edited (\S.*) \(\+(\d+) -(\d+)\)$/.exec(first) ?? [];
  if (what === undefined) return null;
  const file = /^\d+ files$/.test(what) ? null : what;
  return told("file", `Edit ${what}`, { file, added: Number(added), removed: Number(removed) });
}

/** `$ npm test`, at the begin of its paragraph: a reason above it may hold any text. */
function besidePrompt(lines: readonly string[]): string | null {
  const at = lines.findIndex((line, i) => /^\s*\$ \S/.test(line) && !lines[i - 1]?.trim());
  return at < 0 ? null : (lines[at] ?? "").trim().slice(2);
}

/**
 * Below `Bash command`: after a gap the command stands above what it is for, without one below it, and
 * a script behind bars. Wrapped words cannot be told from a command: then nobody knows.
 */
function belowBash(lines: readonly string[]): string | null {
  if (lines[0]?.trim() !== "Bash command") return null;
  if (lines[1]?.trim() === "")
    return lines.find((line, i) => i > 1 && line.trim() !== "")?.trim() ?? null;
  const tip = lines[1]?.trim().startsWith("Tip:") === true;
  const from = tip ? lines.findIndex((line) => /\bbelow$/.test(line.trim())) + 1 : 1;
  if (from === 0) return null;
  const rest = lines.slice(from);
  const end = rest.findIndex((line) =>
    /^\s*(This command requires approval$|│ Auto mode\b)/.test(line),
  );
  const body = end < 0 ? rest : rest.slice(0, end);
  const script = body.find((line) => /^\s*│/.test(line));
  if (script !== undefined) return script.replace(/^\s*│\s*|\s*│\s*$/g, "");
  return body.length === 2 ? (body[1] ?? "").trim() : null;
}

/** The line of its tool is cut; the command stands whole below it. */
function belowShell([first = "", ...rest]: readonly string[]): string | null {
  if (!/^\s*\?\s+Shell\s/.test(first)) return null;
  return rest.find((line) => line.trim() !== "")?.trim() ?? null;
}

/** What it is for, and further in the command. */
function indented([purpose, command]: readonly string[], question: string): string | null {
  if (question !== "Do you want to run this command?") return null;
  if (purpose === undefined || command === undefined) return null;
  return command.search(/\S/) > purpose.search(/\S/) ? command.trim() : null;
}

/** A heading says less than what comes to an end below it, as far to the left: `Traceback…:`. */
function headline(first: string, evidence: readonly string[]): string {
  const left = (line: string) => line.search(/\S/);
  const end = evidence.slice(1).find((line) => left(line) === left(first));
  return ((/:\s*$/.test(first) ? end : null) ?? first).trim();
}

/** An input line, alone or in a box: what is behind its mark is a person's. */
const INPUT = /^[\s│▌]*[›❯>](?:\s|$)/u;
const BOX = /^\s*[┃╹]/u;
const BULLET = /^\s*[●⏺•✦◆◇]\ufe0e?\s+/u;
/** The name that a program draws when it starts: above it no agent has said anything. */
const BANNER = /^[\s│]*(?:[\u2580-\u258d\u2590-\u259f]|[\u2800-\u28ff]{2}|>_ \S)/u;
/** What its program says stands right on the rule above the input line, where no message does. */
const NOTICE = /^ +\S.*\n─+\s*$/u;
/** When it was said, far to the right of it. */
const TIME = /\s{3,}\d{1,2}:\d\d(?: [AP]M)?\s*$/;
/** Rules and blank rows, the end of a turn, what stands far to the right, keys and folders. */
const FURNITURE: readonly RegExp[] = [
  /^[^\p{L}\p{N}]*$/u,
  /^\s*(?:[^\p{L}\p{N}\s]\s+)?\p{Lu}\p{L}+ for [<\d]/u,
  /^\s*▣ /u,
  /^\s{20,}\S/u,
  /\b(?:shift|ctrl|esc|tab)\b ?[+·)]|\bctrl\+|for shortcuts|· \/\w+|· esc\b/iu,
  /^\s*[~/]\S*(?:\s+[[(].*)?$/u,
];

/**
 * The last line that an agent said above its input line, without its bullet; null where no input line
 * is known, or nothing was said since the person's own words. What a program writes around and below
 * its input line is never it.
 */
export function lastSaid(lines: readonly string[]): string | null {
  const input = lines.findLastIndex((line) => INPUT.test(line));
  let at = input < 0 ? lines.findLastIndex((line) => BOX.test(line)) : input;
  const isFurniture = (line: string) =>
    (input < 0 && BOX.test(line)) || FURNITURE.some((pattern) => pattern.test(line));
  at -= NOTICE.test(lines.slice(Math.max(0, at - 2), at).join("\n")) ? 3 : 1;
  for (; at >= 0; at -= 1) {
    const line = lines[at] ?? "";
    if (INPUT.test(line) || BANNER.test(line)) return null;
    if (!isFurniture(line)) return line.replace(BULLET, "").replace(TIME, "").trim();
  }
  return null;
}
