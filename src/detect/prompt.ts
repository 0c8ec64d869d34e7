import { sha256 } from "../lib/digest.ts";
import type { LegacyGuard } from "../protocol/pane.ts";
import { type DialogKeys, answered, type Rows } from "./answers.ts";
import type { Prompt, PromptOption } from "./finding.ts";
import { firstText, lineAt, ruleAt, type Span, type View } from "./region.ts";
import { hasRoom, isEdge, unwrap } from "./text.ts";

function isLink(text: string): boolean {
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

export interface AskedText extends Span {
  text: string;
}

/** Lines of a dialog above its list, from `floor` on; evidence may stand between that and its top. */
interface Above {
  top: number;
  floor?: number;
  before: number;
  isFramed: boolean;
}

/** Paragraphs but links, the lowest one first. */
export function* textsAbove(
  view: View,
  { top, floor = top, before, isFramed }: Above,
): Generator<AskedText, void> {
  for (let end = before; ;) {
    const paragraph = paragraphAbove(view, end, floor);
    if (!paragraph) return;
    const asked = isFramed ? questionLines(view, paragraph) : paragraph;
    const text = joinLines(view, asked.start, asked.end);
    if (!isLink(text)) yield { ...asked, text };
    end = paragraph.start;
  }
}

/** The lowest paragraph with a question mark. */
export function askingAbove(view: View, above: Above): AskedText | null {
  return textsAbove(view, above).find(asks) ?? null;
}

function asks({ text }: AskedText): boolean {
  return /[?？]/u.test(text);
}

/** The question; else the lowest paragraph, or the first line, which the screen may have no room for. */
export function questionAbove(view: View, above: Above): AskedText {
  const texts = [...textsAbove(view, above)];
  return texts.find(asks) ?? texts[0] ?? titleOf(view, above);
}

/** The first line of a dialog; empty where the screen begins with its options. */
export function titleOf(view: View, { top, before }: Above): AskedText {
  const start = firstText(view, top, before);
  const end = Math.min(start + 1, before);
  return { text: joinLines(view, start, end), start, end };
}

/** A hint between what is approved and the question. */
const NOTE = /^\s*\(.*\)$/;

/**
 * The question in a paragraph of a framed dialog: a title and what is approved may stand right
 * above it, hints right below. A notice that asks nothing begins its paragraph.
 */
export function questionLines(view: View, { start, end }: Span): Span {
  // Between the text and the frame there is a blank; a full line goes on below.
  const room = view.width - 1;
  const goesOn = (i: number) => !hasRoom(lineAt(view, i), lineAt(view, i + 1), room);
  const mark = view.lines.slice(start, end).findLastIndex((line) => /[?？]$/u.test(line));
  let first = start + Math.max(0, mark);
  let last = first;
  if (mark < 0) while (last < end - 1 && goesOn(last)) last++;
  else while (first > start && goesOn(first - 1) && !NOTE.test(lineAt(view, first - 1))) first--;
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
