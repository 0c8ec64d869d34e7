import { sha256 } from "../lib/digest.ts";
import type { LegacyGuard } from "../protocol/pane.ts";
import type { AnswerStep, Prompt, PromptOption } from "./finding.ts";
import type { ExtraRow, MenuRow } from "./menu.ts";
import { hasRoom, isEdge, lineAt, ruleAt, type Span, unwrap, type View } from "./region.ts";

const FREEFORM =
  /type something|type your own|write your own|something else|custom value|none of (?:the above|these)|tell (?:claude|codex|the agent|it) what|differently|suggest changes|\bother\b/i;

/** Whether a label invites a text (the contract's words). */
export function invitesText(label: string): boolean {
  return FREEFORM.test(label);
}

export function isLink(text: string): boolean {
  return /^(?:[\w ]+: )?https?:\/\/\S+$/.test(text);
}

/** A dialog that is known by its shape; without options the person gets the terminal. */
export function prompt(
  parser: string,
  question: { text: string; start: number },
  evidence: readonly string[] = [],
  options: readonly PromptOption[] = [],
): Prompt {
  const { text, start: questionLine } = question;
  return { parser, recognised: true, question: text, evidence, options, questionLine };
}

/**
 * The question with its page, `Question 2/3: …`: the one of several that is set off in the bar of
 * their names. Where one page is all, or none is set off, the question alone.
 */
export function onPage(
  text: string,
  tabs: readonly number[] = [],
  isShown: (column: number) => boolean = () => false,
): string {
  if (tabs.length < 2) return text;
  const at = tabs.findIndex(isShown);
  return at < 0 ? text : `Question ${at + 1}/${tabs.length}: ${text}`;
}

type Plan = readonly AnswerStep[];

export function option(
  { key, label, description, selected, checked }: MenuRow,
  answer: Plan,
  answerWithText: Plan | null = null,
  freeform = invitesText(label),
): PromptOption {
  return { key, label, description, selected, freeform, checked, answer, answerWithText };
}

export const ENTER = { do: "key", key: "Enter" } as const;
/** The person's own words, taken with Enter. */
export const WORDS = [{ do: "text" }, ENTER] as const;

/** The option's key answers by itself. An Enter behind it would answer the next prompt. */
export function typeKey(row: MenuRow): Plan {
  return [{ do: "type", text: row.key }];
}

/** The key only moves the focus there; Enter takes it, once it is seen there. */
export function typeKeyThenEnter(row: MenuRow): Plan {
  return [{ do: "type", text: row.key }, { do: "verify" }, ENTER];
}

/** The contract's rule for menus that nobody knows: the literal, then Enter. */
export function typeKeyAndEnter(row: MenuRow): Plan {
  return [{ do: "type", text: row.key }, ENTER];
}

interface Moves {
  back?: string;
  on?: string;
  extras?: readonly ExtraRow[];
}

/**
 * Arrow keys from the focused row to this one, or null when no row is focused. Numbers count, not
 * rows on the screen: between two of them some may be scrolled out of sight.
 */
export function moveTo(
  rows: readonly MenuRow[],
  row: MenuRow,
  { back = "Up", on = "Down", extras = [] }: Moves = {},
): Plan | null {
  const from = rows.find((r) => r.selected);
  if (!from) return null;
  const isBetween = ({ line }: ExtraRow) => (line - from.line) * (line - row.line) < 0;
  const distance = place(rows, row) - place(rows, from);
  const count = Math.abs(distance) + extras.filter(isBetween).length;
  return Array.from(
    { length: count },
    () => ({ do: "key", key: distance < 0 ? back : on }) as const,
  );
}

function place(rows: readonly MenuRow[], row: MenuRow): number {
  const isNumbered = rows.every((r) => /^\d+$/.test(r.key));
  return isNumbered ? Number(row.key) : rows.indexOf(row);
}

/**
 * Moves, looks again, and takes with Enter. Without a focus that can be seen there is no safe way:
 * the plan is empty, and an option with an empty plan is not answered.
 */
export function moveThenEnter(rows: readonly MenuRow[], row: MenuRow, how?: Moves): Plan {
  const moves = moveTo(rows, row, how);
  return moves === null ? [] : [...moves, { do: "verify" }, ENTER];
}

/** By its key where that answers at once; the first of two digits would answer another option. */
export function keyOrMove(rows: readonly MenuRow[], row: MenuRow, how?: Moves): Plan {
  return row.key.length === 1 ? typeKey(row) : moveThenEnter(rows, row, how);
}

interface Choice {
  view: View;
  rows: readonly MenuRow[];
  question: Span | null;
  evidence: readonly string[];
}

export function choicePrompt(
  parser: string,
  { view, rows, question, evidence }: Choice,
  planOf: (row: MenuRow) => Plan,
): Prompt {
  const text = question ? joinLines(view, question.start, question.end) : "";
  const start = question?.start ?? rows[0]?.line ?? view.start;
  const options = rows.map((row) => option(row, planOf(row)));
  return prompt(parser, { text, start }, evidence, options);
}

/** Lines `from` up to `to` as evidence, without rules and with blank lines folded. */
export function evidenceLines(view: View, from: number, to: number): string[] {
  const lines: string[] = [];
  for (let i = from; i < to; i++) {
    const line = lineAt(view, i);
    if (ruleAt(view, i) !== null) continue;
    if (line !== "" || (lines.length > 0 && lines.at(-1) !== "")) lines.push(line);
  }
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Lines of the paragraph that ends before `before` (blank lines and scroll marks skipped), not above `top`. */
export function paragraphAbove(view: View, before: number, top: number): Span | null {
  let end = before;
  while (end > top && /^[\s↑▲⌃]*$/u.test(lineAt(view, end - 1))) end--;
  let start = end;
  const isText = (line: string) => line.trim() !== "" && !isEdge(line);
  while (start > top && isText(lineAt(view, start - 1))) start--;
  return start < end ? { start, end } : null;
}

export function joinLines(view: View, start: number, end: number): string {
  const lines = view.lines.slice(start, end).map((line) => line.replace(/^\s*│(?= |$)/u, ""));
  return unwrap(lines);
}

/**
 * The question in a paragraph of a framed dialog: a title and what is approved may stand right
 * above it, hints right below.
 */
export function questionLines(view: View, { start, end }: Span): Span {
  let last = end - 1;
  while (last > start && !/[?？]$/u.test(lineAt(view, last))) last--;
  if (!/[?？]$/u.test(lineAt(view, last))) last = end - 1;
  // Between the text and the frame there is a blank; a full line goes on below.
  const room = view.width - 1;
  let first = last;
  while (first > start && !hasRoom(lineAt(view, first - 1), lineAt(view, first), room)) first--;
  return { start: first, end: last + 1 };
}

/** The identity of a prompt: digests of its whole question and evidence and of all options, and the focus. */
export function fingerprints(prompt: Prompt | null): LegacyGuard {
  if (!prompt) return { prompt_fingerprint: null, options_fingerprint: null, selected: null };
  return {
    prompt_fingerprint: digest([
      prompt.question,
      prompt.evidence,
      ...(prompt.beyond ? [prompt.beyond.texts] : []),
    ]),
    options_fingerprint: digest(
      prompt.options.map((option) => [
        option.key,
        option.label,
        option.description,
        option.freeform,
        option.checked,
      ]),
    ),
    selected: prompt.options.find((option) => option.selected)?.key ?? null,
  };
}

// Arrays of plain values have one JSON text, so that no canonical form is needed.
function digest(value: readonly unknown[]): string {
  return `sha256:${sha256(JSON.stringify(value)).toString("hex")}`;
}
