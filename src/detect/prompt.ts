import { fingerprint } from "../lib/digest.ts";
import type { LegacyGuard } from "../protocol/pane.ts";
import { type DialogKeys, promptOptions, type MenuRows } from "./answers.ts";
import type { Prompt, PromptOption } from "./finding.ts";
import { firstText, lineAt, ruleAt, type Span, type View } from "./region.ts";
import { hasRoom, isEdge, unwrap } from "./text.ts";

/** A dialog of a known shape; without options the person answers in the terminal. */
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
 * `Question 2/3: …`, by the page that is set off in a bar of tabs; the question alone where there is
 * one page, or none is set off.
 * @param tabs columns of the names of the pages
 */
export function onPage(
  text: string,
  tabs: readonly number[] = [],
  isCurrent: (column: number) => boolean = () => false,
): string {
  if (tabs.length < 2) return text;
  const at = tabs.findIndex(isCurrent);
  return at < 0 ? text : `Question ${at + 1}/${tabs.length}: ${text}`;
}

interface DialogContent {
  view: View;
  menu: MenuRows;
  /** `text` where it is not simply the text of the lines. */
  question: (Span & { text?: string }) | null;
  evidence: readonly string[];
}

export function dialogPrompt(
  parser: string,
  { view, menu, question, evidence }: DialogContent,
  answers: DialogKeys,
): Prompt {
  const text = question ? (question.text ?? joinLines(view, question.start, question.end)) : "";
  const start = question?.start ?? menu.rows[0]?.line ?? view.start;
  return prompt(parser, { text, start }, evidence, promptOptions(menu, answers));
}

export function evidenceAround(view: View, question: Span, top: number, end: number): string[] {
  return [...evidenceLines(view, top, question.start), ...evidenceLines(view, question.end, end)];
}

/** Without rules, and with one blank line for several. */
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

/** Spinners and running times. */
const ANIMATED =
  /^(\s*)[\u2800-\u28ff◐◓◑◒⬡⬢✢✳✶✻✽]+(?=\s)|(…\s*\(?|\(\s*)(?:\d+m\s?)?\d[\d.]*\s?s\b/gu;

/** Evidence is the prompt's identity, while a row above the prompt may move as long as it stands. */
export function withoutMotion(line: string): string {
  return line.replace(ANIMATED, "$1$2");
}

/** The lowest paragraph between `top` and `before`; scroll marks below it count as blank. */
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

export interface QuestionText extends Span {
  text: string;
}

/** The lines of a dialog above its list; between `top` and `floor` stands only evidence. */
interface QuestionArea {
  top: number;
  floor?: number;
  before: number;
  isFramed: boolean;
}

const LINK = /^(?:[\w ]+: )?https?:\/\/\S+$/;

/** Paragraphs other than links, the lowest first. */
export function* textsAbove(
  view: View,
  { top, floor = top, before, isFramed }: QuestionArea,
): Generator<QuestionText, void> {
  for (let end = before; ;) {
    const paragraph = paragraphAbove(view, end, floor);
    if (!paragraph) return;
    const lines = isFramed ? questionLines(view, paragraph) : paragraph;
    const text = joinLines(view, lines.start, lines.end);
    if (!LINK.test(text)) yield { ...lines, text };
    end = paragraph.start;
  }
}

export function findQuestionAbove(view: View, above: QuestionArea): QuestionText | null {
  return textsAbove(view, above).find(hasQuestionMark) ?? null;
}

function hasQuestionMark({ text }: QuestionText): boolean {
  return /[?？]/u.test(text);
}

/** The question, else the lowest paragraph, else the first line. */
export function questionAbove(view: View, above: QuestionArea): QuestionText {
  const [lowest] = textsAbove(view, above);
  return findQuestionAbove(view, above) ?? lowest ?? titleOf(view, above);
}

/** The first line of a dialog; empty where a low screen begins with its options. */
export function titleOf(view: View, { top, before }: QuestionArea): QuestionText {
  const start = firstText(view, top, before);
  const end = Math.min(start + 1, before);
  return { text: joinLines(view, start, end), start, end };
}

/** A hint between the evidence and the question. */
const NOTE = /^\s*\(.*\)$/;

/**
 * The question in a paragraph of a framed dialog, in which a title and evidence may stand right above
 * it, and hints right below. Without a question mark it is the beginning of the paragraph.
 */
export function questionLines(view: View, { start, end }: Span): Span {
  // A blank separates the text from the frame; a line that is full goes on below.
  const room = view.width - 1;
  const goesOn = (i: number) => !hasRoom(lineAt(view, i), lineAt(view, i + 1), room);
  const mark = view.lines.slice(start, end).findLastIndex((line) => /[?？]$/u.test(line));
  let first = start + Math.max(0, mark);
  let last = first;
  if (mark < 0) while (last < end - 1 && goesOn(last)) last++;
  else while (first > start && goesOn(first - 1) && !NOTE.test(lineAt(view, first - 1))) first--;
  return { start: first, end: last + 1 };
}

/** The identity of a prompt: a digest of question and evidence, one of all options, and the focus. */
export function fingerprints(prompt: Prompt | null): LegacyGuard {
  if (!prompt) return { prompt_fingerprint: null, options_fingerprint: null, selected: null };
  return {
    prompt_fingerprint: fingerprint([
      prompt.question,
      prompt.evidence,
      ...(prompt.clipped ? [prompt.clipped.texts] : []),
    ]),
    options_fingerprint: fingerprint(
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
