import type { About, AboutKind } from "../protocol/act.ts";
import type { PaneState } from "../protocol/pane.ts";
import { unwrap } from "./text.ts";

/**
 * The command or file that a prompt is about, else its question; the line that tells an error; the
 * last message of an idle agent. Null while it works, and where none of these is known.
 */
export function aboutOf({
  status,
  question,
  evidence,
  agent,
}: Pick<PaneState, "status" | "question" | "evidence" | "agent">): About | null {
  if (status === "needs_input") return promptAbout(evidence, question ?? "");
  const hasText = status === "error" || (status === "idle" && agent !== null);
  const [first] = evidence;
  return hasText && first !== undefined ? about("text", headline(first, evidence)) : null;
}

function promptAbout(evidence: readonly string[], question: string): About | null {
  const command = COMMANDS.map((read) => read(evidence, question)).find((text) => text);
  if (command) return about("command", command);
  const file = fileIn(evidence);
  if (file !== null) return file;
  const text = question.trim();
  if (text === "") return null;
  return about(/\bwritten up a plan\b/.test(text) ? "plan" : "question", text);
}

const about = (kind: AboutKind, text: string, of: Partial<About> = {}): About => ({
  ...{ kind, text, file: null, added: null, removed: null },
  ...of,
});

/** Each gives null or an empty text where it does not find the whole command. */
const COMMANDS: readonly ((lines: readonly string[], question: string) => string | null)[] = [
  dollarCommand,
  bashCommand,
  shellCommand,
  indentedCommand,
];

const VERBS: Readonly<Record<string, string>> = {
  "Edit file": "Edit",
  "Create file": "Create",
  "Overwrite file": "Overwrite",
  Added: "Create",
  Edited: "Edit",
  Deleted: "Delete",
};

const CHANGED = /^(Added|Edited|Deleted) (\S.*) \(\+(\d+) -(\d+)\)$/;

const FILES: readonly (readonly [RegExp, string])[] = [
  [/^\s*→ Edit (\S.*)$/, "Edit"],
  [/^\s*\?\s+Edit\s+(\S[^:]*):/, "Edit"],
  [/^\s*\?\s+WriteFile\s+Writing to (\S.*)$/, "Write"],
];

/** Later lines are not read: they may be the content of a file. */
function fileIn([first = "", second = ""]: readonly string[]): About | null {
  const heading = VERBS[first.trim()];
  const named = FILES.map(([pattern, verb]) => [verb, pattern.exec(first)?.[1]] as const);
  for (const [verb, file = ""] of [[heading, second] as const, ...named]) {
    const path = file.trim();
    if (verb !== undefined && path !== "") return about("file", `${verb} ${path}`, { file: path });
  }
  const changed = CHANGED.exec(first) ?? CHANGED.exec(unwrap([first, second]));
  const [, verb = "", what, added, removed] = changed ?? [];
  if (what === undefined) return null;
  const file = /^\d+ files$/.test(what) ? null : what;
  const counts = { added: Number(added), removed: Number(removed) };
  return about("file", `${VERBS[verb]} ${what}`, { file, ...counts });
}

/** `$ npm test` begins a paragraph: the reason above it may hold any text. */
function dollarCommand(lines: readonly string[]): string | null {
  const at = lines.findIndex((line, i) => /^\s*\$ \S/.test(line) && !lines[i - 1]?.trim());
  return at < 0 ? null : (lines[at] ?? "").trim().slice(2);
}

/**
 * Below `Bash command` and a blank line the command comes first; without the blank line the purpose
 * does, and a script stands behind bars. More lines may be a command or a purpose that wrapped: null.
 */
function bashCommand(lines: readonly string[]): string | null {
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

/** The heading cuts the command off; the line below it holds all of it. */
function shellCommand([first = "", ...rest]: readonly string[]): string | null {
  if (!/^\s*\?\s+Shell\s/.test(first)) return null;
  const command = rest.find((line) => line.trim() !== "")?.trim() ?? "";
  return /^\.{3} .*\bhidden\b/.test(command) ? null : command;
}

/** The purpose, and the command indented below it. */
function indentedCommand([purpose, command]: readonly string[], question: string): string | null {
  if (question !== "Do you want to run this command?") return null;
  if (purpose === undefined || command === undefined || purpose === "…") return null;
  return command.search(/\S/) > purpose.search(/\S/) ? command.trim() : null;
}

/** Below a heading (`Traceback…:`) the next line with its indent says what went wrong. */
function headline(first: string, evidence: readonly string[]): string {
  const left = (line: string) => line.search(/\S/);
  const end = evidence.slice(1).find((line) => left(line) === left(first));
  return ((/:\s*$/.test(first) ? end : null) ?? first).trim();
}

/** The mark of an input line, alone or in a box. */
const INPUT = /^[\s│▌]*[›❯>](?:\s|$)/u;
const BOX = /^\s*[┃╹]/u;
const BULLET = /^\s*[●⏺•✦◆◇]\ufe0e?\s+/u;
/** What a program draws when it starts: no message stands above it. */
const BANNER = /^[\s│]*(?:[\u2580-\u258d\u2590-\u259f]|[\u2800-\u28ff]{2}|>_ \S)/u;
/** Notices and completions stand right on it, above the input line; messages never do. */
const RULE = /^─+\s*$/u;
/** The time of a message, far to the right of it. */
const TIME = /\s{3}\d{1,2}:\d\d(?: [AP]M)?\s*$/;
/** Rules and blank rows, ends of turns, text far to the right, notices, key hints and folders. */
const FURNITURE: readonly RegExp[] = [
  /^[^\p{L}\p{N}]*$/u,
  /^\s*(?:[^\p{L}\p{N}\s]\s+)?\p{Lu}\p{L}+ for [<\d]/u,
  /^(?:▎|\s*▣ )/u,
  /^\s{20,}\S/u,
  /\b(?:shift|ctrl|esc|tab)\b ?[+·)]|\bctrl\+|for shortcuts|· \/\w+|· esc\b/iu,
  /^\s*[~/]\S*(?:\s+[[(].*)?$/u,
];

/**
 * The last line of an agent's messages, without its bullet. Null where no input line is seen, and
 * where the last message is the person's own.
 */
export function lastMessageLine(lines: readonly string[]): string | null {
  const input = lines.findLastIndex((line) => INPUT.test(line));
  let at = (input < 0 ? lines.findLastIndex((line) => BOX.test(line)) : input) - 1;
  const isFurniture = (line: string) =>
    (input < 0 && BOX.test(line)) || FURNITURE.some((pattern) => pattern.test(line));
  const rule = RULE.test(lines[at] ?? "") ? at : -1;
  if (rule >= 0) at = lines.findLastIndex((line, i) => i < rule && !/^ +\S/.test(line));
  for (; at >= 0; at -= 1) {
    const line = lines[at] ?? "";
    if (INPUT.test(line) || BANNER.test(line)) return null;
    if (!isFurniture(line)) return line.replace(BULLET, "").replace(TIME, "").trim();
  }
  return null;
}
