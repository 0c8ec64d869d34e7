import { commandRisk } from "../detect/risk.ts";

/** A command that an agent asks for, as it stands on the screen. */
export interface Asked {
  readonly folder: string;
  readonly command: string;
}

/** What an option does: the plain yes allows once; any other is another answer. */
export type Answer = "allowed" | "other";

const HEADING = "Bash command";
const APPROVAL = "This command requires approval";
/** Of Claude Code's dialog: what its border and padding take at most from the width of the pane. */
const MARGIN = 8;
/**
 * A command of plain words. With quotes, globs, pipes, variables or a second command the rule would
 * mean more or less than the words on the screen.
 */
const PLAIN = /^[\w./@%+,-][\w./@%+,:=-]*(?: [\w./@%+,:=-]+)*$/;

/**
 * The command of a permission dialog of Claude Code, where the screen shows it exactly: in one line
 * that did not wrap, beside one line that says what it is for. Null for anything else.
 */
export function commandOf(evidence: readonly string[], width: number): string | null {
  if (evidence[0]?.trim() !== HEADING) return null;
  const lines = evidence.slice(1).filter((line) => line.trim() !== APPROVAL);
  const isCommandFirst = lines[0]?.trim() === "";
  const told = withoutTip(lines).filter((line) => line.trim() !== "");
  const [first, second, ...more] = told;
  if (first === undefined || second === undefined || more.length > 0) return null;
  // The first word of the second line would have fitted into the first: it is a line of its own.
  const [word = ""] = second.trim().split(" ");
  if (Bun.stringWidth(first) + 1 + Bun.stringWidth(word) >= width - MARGIN) return null;
  if (Bun.stringWidth(second) >= width - MARGIN) return null;
  return (isCommandFirst ? first : second).trim();
}

/** `Tip: …`, over one or two lines, ends in "below". */
function withoutTip(lines: readonly string[]): readonly string[] {
  if (lines[0]?.trim().startsWith("Tip:") !== true) return lines;
  const end = lines.findIndex((line) => /\bbelow$/.test(line.trim()));
  return end < 0 ? [] : lines.slice(end + 1);
}

/** The rule of Claude Code that allows this command and no other; null where there is none. */
export function exactRule(command: string): string | null {
  const [program = ""] = command.split(" ");
  const isPlain = PLAIN.test(command) && !program.includes("=") && !command.endsWith(":");
  if (!isPlain || commandRisk([command]) !== null) return null;
  return `Bash(${command})`;
}

export const answerOf = (label: string): Answer => (label.trim() === "Yes" ? "allowed" : "other");
