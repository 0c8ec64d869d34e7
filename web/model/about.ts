import { unframed } from "./frame.ts";
import { lastLine, waits, type Pane } from "./pane.ts";

/** What one line says of a pane: the command or file that it asks for, else its question, else its last words. */
export const aboutOf = (pane: Pane): string =>
  (waits(pane) ? (askedFor(pane) ?? pane.question) : null) ?? lastLine(pane);

/**
 * The command or file that a permission asks for, as it stands on the screen; null where nothing but
 * the whole evidence tells it. A heading that is out of sight leaves it unknown.
 */
export function askedFor({ question, evidence }: Pane): string | null {
  for (const read of READERS) {
    const found = read(evidence, question ?? "");
    if (found !== null && found !== "") return found;
  }
  return null;
}

type Read = (lines: readonly string[], question: string) => string | null;

const VERBS: Readonly<Record<string, string>> = {
  "Edit file": "Edit",
  "Create file": "Create",
  "Overwrite file": "Overwrite",
};

const READERS: readonly Read[] = [
  (lines) => besidePrompt(lines),
  (lines) => belowBash(lines),
  (lines) => belowShell(lines),
  (lines, question) => indented(lines, question),
  (lines) => {
    const verb = VERBS[lines[0]?.trim() ?? ""];
    const path = lines[1]?.trim() ?? "";
    return verb === undefined || path === "" ? null : `${verb} ${path}`;
  },
  (lines) => found(lines, /^\s*→ Edit (\S.*)$/, "Edit"),
  (lines) => found(lines, /^\s*\?\s+Edit\s+(\S[^:]*):/, "Edit"),
  (lines) => found(lines, /^\s*\?\s+WriteFile\s+Writing to (\S.*)$/, "Write"),
  (lines) => found(lines, /^Edited (\S.*) \(\+\d+ -\d+\)$/, "Edit"),
];

/** Of the first line alone: text below it may be the content of a file. */
function found(lines: readonly string[], pattern: RegExp, verb: string): string | null {
  const match = pattern.exec(lines[0] ?? "")?.[1]?.trim();
  return match === undefined ? null : `${verb} ${match}`;
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
  if (script !== undefined) return unframed(script).trim();
  return body.length === 2 ? (body[1] ?? "").trim() : null;
}

/** The line of its tool is cut; the command stands whole below it. */
function belowShell(lines: readonly string[]): string | null {
  if (!/^\s*\?\s+Shell\s/.test(lines[0] ?? "")) return null;
  return (
    lines
      .slice(1)
      .find((line) => line.trim() !== "")
      ?.trim() ?? null
  );
}

/** What it is for, and further in the command. */
function indented(lines: readonly string[], question: string): string | null {
  if (question !== "Do you want to run this command?") return null;
  const [purpose, command] = lines;
  if (purpose === undefined || command === undefined) return null;
  return command.search(/\S/) > purpose.search(/\S/) ? command.trim() : null;
}
