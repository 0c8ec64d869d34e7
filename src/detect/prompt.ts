import { sha256 } from "../lib/digest.ts";
import type { LegacyGuard } from "../protocol/pane.ts";
import { type DialogKeys, answered, type Rows } from "./answers.ts";
import type { Prompt, PromptOption } from "./finding.ts";
import { lineAt, ruleAt, type Span, type View } from "./region.ts";
import { hasRoom, isEdge, unwrap } from "./text.ts";

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

/** What a dialog shows: its options, what it asks, and what it asks about. */
interface Dialog {
  view: View;
  menu: Rows;
  /** Its lines, and its text where that is not all that stands on them. */
  question: (Span & { text?: string }) | null;
  evidence: readonly string[];
}

export function dialogPrompt(
  parser: string,
  { view, menu, question, evidence }: Dialog,
  answers: DialogKeys,
): Prompt {
  const text = question ? (question.text ?? joinLines(view, question.start, question.end)) : "";
  const start = question?.start ?? menu.rows[0]?.line ?? view.start;
  return prompt(parser, { text, start }, evidence, answered(menu, answers));
}

/** What stands around the question, from `top` to `end`. */
export function evidenceAround(view: View, question: Span, top: number, end: number): string[] {
  return [...evidenceLines(view, top, question.start), ...evidenceLines(view, question.end, end)];
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

const withoutBar = (line: string): string =>
  line.includes("│") ? line.replace(/^\s*│(?= |$)/u, "") : line;

export function joinLines(view: View, start: number, end: number): string {
  const lines = view.lines.slice(start, end).map(withoutBar);
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
