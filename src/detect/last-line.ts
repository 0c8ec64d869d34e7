import type { DetectInput } from "./finding.ts";
import { isInteractiveShell, isShellCommand } from "./kind.ts";
import { baseName, isCarrier, isCommandLine, isReplPrompt, isShellPrompt } from "./programs.ts";
import { lineOfHit } from "./pattern-region.ts";
import {
  findLast,
  lastLines,
  lineAt,
  type Style,
  styleAt,
  type View,
  wholeLineAt,
} from "./region.ts";
import type { Context } from "./rule.ts";
import { columnsOf, indentOf } from "./text.ts";
import { readTyped } from "./typed-text.ts";

/** Columns between a question and its cursor: programs set up to two blanks. */
const MAX_GAP = 3;

/**
 * How a program reads the terminal, as the kernel says: by lines, by keys, not at all. `unknown` where
 * the kernel cannot be asked, or an event loop may read at any time.
 */
type ReaderKind = "line" | "key" | "nobody" | "unknown";

/** The last line of the program, as a question that may be open. */
export interface LastLine {
  line: number;
  /** The end of it: there stands the question of a long line. */
  text: string;
  /**
   * `within`: before its end, as on a placeholder; `below`: in an empty field that the program draws;
   * `beyond`: the program has gone on from its row.
   */
  cursor: "behind" | "within" | "below" | "beyond" | "unknown";
  /** Blanks stand between the text and the cursor: programs set them, typed text rarely ends so. */
  isSetOff: boolean;
  reader: ReaderKind;
  /** The terminal does not echo typed text. */
  isHidden: boolean;
}

/** Null where it is history or a shell's own line, on which no program asks. */
export function readLastLine(context: Context): LastLine | null {
  const { view, input, agent } = context;
  const { top } = context.place();
  const field = input.terminal?.lines === false ? readDrawnField(context) : null;
  // Below the question of an agent's message that is its input line at rest.
  const isAtRest = agent !== null && field?.cursor === "below" && /[?？؟]$/.test(field.text);
  const drawn = isAtRest ? null : field;
  const line = drawn?.line ?? view.end - 1;
  if (line < Math.max(view.start, top) || isCommandLine(lineAt(view, line))) return null;
  const isHidden = input.terminal?.echo === false && input.terminal.lines;
  // It edits a line, whose key alone answers nothing.
  if (drawn) return { ...drawn, isSetOff: true, reader: "unknown", isHidden };
  const text = wholeLineAt(view, line).slice(-300);
  return { line, text, ...cursorAt(context, line), reader: readerOf(input), isHidden };
}

/** `✔ Name: █`, or upon the first letter of a default. */
const OWN_CURSOR = /(?<=[:?\])] )█(?:[\p{L}\p{N}][^█]*)?$/u;
/** A shell's own prompt may end in a colon too. */
export const ASKS_IN_SHELL =
  /\S.*[?？؟]:?\s*$|:\s*(?:\([^()]{1,60}\)|\[[^\][]{1,60}\])\s*$|\b(?:enter|type|input|specify|provide|name|value|username|login|email|address|path|port)\b[^.!?]{0,60}:\s*$/i;
/** What a program says below its field: `enter submit`, `(esc to quit)`. */
const HINT = /\b(?:enter|return|esc|ctrl)\b/i;
export const PRESS_ENTER =
  /\b(?:press|hit|push)\s+(?:the\s+)?[[<(]?(?:enter|return|any key|space|a key)\b|\bpress ENTER or type command/i;
const FIELD = /^\s*[>❯›](?: |$)/u;
const MAX_FORM_LINES = 12;
const GREYS = [8, 238, 240, 241, 242, 243, 244, 245, 248];

/**
 * The question of a field whose program hides the terminal's cursor and draws its own: `█`, or an
 * inverse cell. Most of those blink, so that words decide: it stands behind a question, or is empty, or
 * holds a grey placeholder, below one. On the alternate screen much looks so that asks nothing.
 */
function readDrawnField({
  view,
  input,
  place,
}: Omit<Context, "agent" | "patterns">): Pick<LastLine, "line" | "text" | "cursor"> | null {
  if (place().cursor?.visible !== false) return null;
  const end = wholeLineAt(view, view.end - 1).slice(-300);
  // While a program computes, a block begins a bar of progress.
  if (OWN_CURSOR.test(end) && input.terminal?.waiting !== "none")
    return { line: view.end - 1, text: end.replace(OWN_CURSOR, ""), cursor: "behind" };
  if (input.alternate) return null;
  // The field of a form that has the focus has a heavy bar at its left, and may have several rows.
  const isBarred = (i: number) => view.screen.lines[i]?.text.startsWith("┃") === true;
  const barred = findLast(view, MAX_FORM_LINES, (_, i) => isBarred(i));
  const isHint = barred === null && HINT.test(end) && !ASKS_IN_SHELL.test(end);
  const fieldEnd = barred === null ? view.end : barred + 1;
  const [at = -1, before = -1] = lastLines(view, 3, fieldEnd).slice(isHint ? 1 : 0);
  const text = lineAt(view, at);
  // Typed text may be a question too, and a value in brackets behind a label is no default.
  const isOpenLine = ASKS_IN_SHELL.test(text) && !FIELD.test(text) && !/[)\]]$/.test(text);
  if (barred === null && isOpenLine) {
    const isPause = PRESS_ENTER.test(end) && !/\b(?:submit|confirm|save|send)\b/i.test(end);
    return isPause ? null : { line: at, text, cursor: "behind" };
  }
  const isBlank = isBarred(at) && isBarred(at + 1) && !isBarred(before);
  if (!isBlank && (at - before > 2 || !isFieldEmpty(view, at))) return null;
  let line = isBlank ? at : before;
  while (isBarred(line) && isBarred(line - 1)) line--;
  const question = lineAt(view, line);
  const isAsked = isBarred(line) || /[?？؟:]$/u.test(question);
  return isAsked ? { line, text: question, cursor: "below" } : null;
}

function isFieldEmpty(view: View, line: number): boolean {
  const mark = FIELD.exec(lineAt(view, line))?.[0] ?? "";
  const from = mark.length || indentOf(lineAt(view, line));
  const isGrey = ({ dim, fg }: Style) => dim === true || GREYS.includes(Number(fg));
  const raw = view.screen.lines[line];
  // Results are grey too.
  if (mark === "" && !raw?.text.startsWith("┃") && !styleAt(raw, from).inverse) return false;
  return readTyped(view, { start: line, end: line + 1 }, from, isGrey).holds === "nothing";
}

/** A program that reads keys below what was there before, and hides the cursor. */
export function drawsInline({ input, place }: Context): boolean {
  return input.terminal?.lines === false && !input.alternate && place().cursor?.visible === false;
}

/** A line with the words of a question: it is open unless something says that it was answered. */
export function isOpen({ cursor, reader }: LastLine): boolean {
  if (reader === "nobody") return false;
  return reader === "unknown" ? cursor !== "beyond" : true;
}

/** A spinner begins it. */
export function isWork({ text, reader }: LastLine): boolean {
  return reader === "unknown" && /^\s*[\u2800-\u28ff◐◓◑◒]\s/u.test(text);
}

export function noteOf({ reader, cursor }: LastLine): string {
  if (reader === "line") return "the kernel: a program reads a line from the terminal";
  if (reader === "key") return "the kernel: a program reads a key from the terminal";
  if (reader === "nobody") return "the kernel: no program reads the terminal";
  return cursor === "unknown" ? "cursor: unknown" : `cursor: ${cursor} the text`;
}

function cursorAt(
  { view, place }: Pick<Context, "view" | "place">,
  line: number,
): Pick<LastLine, "cursor" | "isSetOff"> {
  const { cursor } = place();
  if (!cursor) return { cursor: "unknown", isSetOff: false };
  const column = cursor.column - columnsOf(wholeLineAt(view, line));
  const isBehind = cursor.line === line && column >= 0 && column <= MAX_GAP;
  if (isBehind && cursor.column > 0) return { cursor: "behind", isSetOff: column > 0 };
  // Programs that hide the cursor leave it anywhere.
  if (!cursor.visible) return { cursor: "unknown", isSetOff: false };
  return { cursor: cursor.line === line ? "within" : "beyond", isSetOff: false };
}

/** The program has gone on below its last lines: a list or dialog there was only printed. */
export function isPrinted({ view, input, place }: Context): boolean {
  const { cursor } = place();
  const reader = readerOf(input);
  if (reader === "nobody") return true;
  if (!cursor?.visible || reader === "line" || reader === "key") return false;
  const takesKeys = input.terminal?.lines === false && input.terminal.waiting !== "none";
  return !takesKeys && cursor.line >= view.end && cursor.column === 0;
}

export function isReadBelow({ view, input, place }: Context): boolean {
  const { cursor } = place();
  const isBelow = cursor?.line === view.end && cursor.column === 0;
  return isBelow && input.terminal?.waiting === "reads";
}

export function readerOf({ terminal }: DetectInput): ReaderKind {
  if (!terminal) return "unknown";
  if (terminal.waiting === "reads") return terminal.lines ? "line" : "key";
  // A program that has switched to keys and computes will take them in a moment.
  return terminal.waiting === "none" && terminal.lines ? "nobody" : "unknown";
}

export function isShellInFront({ processes }: DetectInput): boolean {
  return processes.length > 0 && processes.every(isInteractiveShell);
}

/** A shell that runs a script or a command, and no other program: it reads by itself. */
export function isScriptInFront({ processes }: DetectInput): boolean {
  const isScript = (args: readonly string[]) =>
    isShellCommand(args[0] ?? "") && !isInteractiveShell(args);
  return processes.length > 0 && processes.every(isScript);
}

/**
 * The line editor of the shell in front takes keys, while `read` takes lines. In bash a blocked read
 * of keys is `read -n`, since its editor waits for events.
 */
export function isEditing(o: DetectInput): boolean {
  // It draws what is typed itself.
  if (!o.terminal || o.terminal.lines || o.terminal.echo || !isShellInFront(o)) return false;
  return !isNamed(o, "bash") || o.terminal.waiting !== "reads";
}

/** Whether every process in front is this shell. */
export function isNamed({ processes }: DetectInput, shell: string): boolean {
  return processes.every(([path = ""]) => baseName(path).replace(/^-/, "") === shell);
}

const OPEN_END = /[:?>\])？：؟…]$|\bpress\b|^\s*\?\s/iu;
const LIST_ROW = /^[\s│┃|]{0,6}(?:[❯›●▸▶➤→>*?]\s*\S|\d{1,2}[.)]\s|[[(]\w{1,2}[\])]\s)/u;
const MAX_LIST_LINES = 24;

/**
 * Whether the screen may show a question, so that the kernel is worth asking: the cursor stands
 * behind a text, or the screen ends with rows of a list or with a line that a pattern finds.
 */
export function mayAsk({ view, input, place, patterns }: Omit<Context, "agent">): boolean {
  const line = view.end - 1;
  const last = wholeLineAt(view, line);
  if (last === "" || isCarrier(input) || isShellPrompt(last)) return false;
  if (readDrawnField({ view, input, place })) return true;
  const isListed = (i: number) => LIST_ROW.test(lineAt(view, i));
  if (isReplPrompt(last)) return isListed(lastLines(view, 2)[1] ?? line);
  if (OPEN_END.test(last) || lastLines(view, MAX_LIST_LINES).some(isListed)) return true;
  if (lineOfHit(view, patterns.prompt) === line) return true;
  return !isShellInFront(input) && cursorAt({ view, place }, line).cursor === "behind";
}
