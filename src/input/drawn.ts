import { isTextAlone, lettersOf, STAND_IN } from "../detect/composer.ts";
import type { Prompt } from "../detect/finding.ts";
import type { PaneReading } from "../terminal/reading.ts";
import { draftConflict } from "./refusals.ts";

/** Its last letters: a field shows at least the end of what was typed into it. */
const TAIL_LETTERS = 12;

/**
 * What a program has drawn since it was sent a text: the text, in its own words or by a stand-in; some
 * change where it is expected; or nothing, and then it may not have read the text yet.
 * @param before the reading that was accepted for the text
 */
function drawnOf(
  text: string,
  before: PaneReading,
  now: PaneReading,
): "text" | "change" | "nothing" {
  // An input line is read more exactly than the screen around it.
  const { composer } = now;
  if (composer?.holds === "nothing") return "nothing";
  if (composer?.holds === "draft" && isTextAlone(composer.text, text)) return "text";
  const [was, is] = [liveRows(before), liveRows(now)];
  const hasMore = (count: (rows: string) => number) => count(is) > count(was);
  const letters = lettersOf(text).slice(-TAIL_LETTERS);
  const [read, wanted] = letters === "" ? [inkOf, inkOf(text)] : [lettersOf, letters];
  if (wanted !== "" && hasMore((rows) => countOf(read(rows), wanted))) return "text";
  // Blanks alone move the cursor.
  if (wanted === "" && columnOf(now) - columnOf(before) === text.length) return "text";
  if (hasMore((rows) => rows.match(STAND_IN)?.length ?? 0)) return "text";
  // Where it replaces an equal text, nothing changes.
  const focused = now.prompt?.options.find(({ selected }) => selected);
  if (focused && isTextAlone(focused.label, text)) return "text";
  // A spinner only turns one symbol into another; a mask has one for each character.
  const isMasked = symbolsIn(is) - symbolsIn(was) >= [...text].length;
  return lettersOf(was) === lettersOf(is) && !isMasked ? "nothing" : "change";
}

const liveRows = ({ screen, finding }: PaneReading): string =>
  screen.lines
    .slice(finding.region.start)
    .map((line) => line.text)
    .join("\n");

const columnOf = ({ pane: { cursor } }: PaneReading): number => cursor?.column ?? NaN;

/** Without blanks and lines: a field wraps at its edges. */
const inkOf = (text: string): string => text.replace(/\s+/gu, "");

const symbolsIn = (text: string): number => text.match(/\p{So}/gu)?.length ?? 0;

const countOf = (letters: string, wanted: string): number => letters.split(wanted).length - 1;

/**
 * Until then a program may still be drawing the text; a busy one has drawn nothing for a second. An
 * answer without its words would be another one: it waits for them to the end.
 */
export const DRAWN_WITHIN_LOOKS = { draft: 10, change: 10, nothing: 40 };

/**
 * Whether a text is drawn, and stands alone in its input line, as far as that can be read; false while
 * it may still be drawn.
 * @throws AppError conflict with both texts where it stands there beside another one
 */
export function aloneCheck(text: string, before: PaneReading): (now: PaneReading) => boolean {
  const isDrawn = drawnCheck(text, before);
  let drafts = 0;
  return (now) => {
    if (now.composer?.holds !== "draft") return isDrawn(now);
    if (isTextAlone(now.composer.text, text)) return true;
    if (++drafts < DRAWN_WITHIN_LOOKS.draft) return false;
    throw draftConflict(now, true);
  };
}

/** Whether a text is drawn, as far as that can be read; false while it may still be drawn. */
export function drawnCheck(
  text: string,
  before: PaneReading,
  isAnswer = before.prompt !== null,
): (now: PaneReading) => boolean {
  const looks = { change: 0, nothing: 0 };
  return (now) => {
    const drawn = drawnOf(text, before, now);
    if (drawn === "text") return true;
    if (drawn === "nothing" && isAnswer) return false;
    return ++looks[drawn] >= DRAWN_WITHIN_LOOKS[drawn];
  };
}

/**
 * What has become of a line prompt at which a text was typed without Enter. `asked`: it still stands
 * lowest, with the text behind it at most. `over`: the program has taken the text, and has gone on.
 * `unclear`: it is being drawn, or something else stands there.
 */
export function fateOfQuestion(
  text: string,
  first: PaneReading,
  now: PaneReading,
): "asked" | "over" | "unclear" {
  // A program that takes keys has handed the terminal back, and it is no moment between two keys.
  if (now.terminal?.lines) return now.terminal.waiting === "none" ? "unclear" : "over";
  const asked = questionOn(first);
  // A question may be read without the glyphs and double blanks of its row.
  const isAsked = ({ prompt }: PaneReading) => prompt?.question.includes(asked);
  if (isAsked(first) && isAsked(now) === false) return "over";
  const [before, after] = [rowsWith(asked, first), rowsWith(asked, now)];
  if (after.count === 0 || after.count > before.count) return "unclear";
  if (after.below.length > before.below.length && !isBroken(text, before, after)) return "unclear";
  // The next question may follow in the same row. A hint behind this one goes with the first letter.
  const marks = (line: string) => line.match(/[?:›»>)\]]/gu)?.length ?? 0;
  if (marks(after.row) > marks(before.row) + marks(text)) return "over";
  // Another hint than before may be of another question, in place of this one.
  const hints = after.row.replace(STAND_IN, "").match(HINT) ?? [];
  const isOld = (hint: string) => (before.row + text).includes(hint);
  const shown = ({ row }: AskedRows) => countOf(inkOf(row.replace(HINT, "")), inkOf(text));
  const counts = shown(after) > shown(before) ? uncounted : () => [];
  return hints.every((hint) => [hint, ...counts(hint, text)].some(isOld)) ? "asked" : "unclear";
}

const HINT = /[([][^()[\]]*[)\]]/g;

/**
 * A counter of characters, as `(3/80)` or `(77 left)`, as it was without those of the text. One
 * that has moved by one may be of questions: the next one stands in place of `(1/3)`.
 */
function uncounted(hint: string, text: string): string[] {
  const { length } = [...text];
  if (length === 1) return [];
  return [length, -length].map((by) => hint.replace(/\d+/, (count) => `${Number(count) - by}`));
}

type AskedRows = ReturnType<typeof rowsWith>;

/** How many rows have this text; the last of them, what stands behind it, and the rows below. */
function rowsWith(text: string, { screen: { lines } }: PaneReading) {
  const rows = lines.map((line) => line.text);
  const last = rows.findLastIndex((each) => each.includes(text));
  const row = rows[last] ?? "";
  const behind = row.slice(row.lastIndexOf(text) + text.length);
  const count = rows.filter((each) => each.includes(text)).length;
  return { count, row, behind, below: rows.slice(last + 1) };
}

/** Programs break a long answer by themselves: more rows, but nothing in them except the answer. */
function isBroken(text: string, before: AskedRows, after: AskedRows): boolean {
  const inkOfRows = ({ behind, below }: AskedRows) => inkOf(behind + below.join(""));
  const [was, now] = [inkOfRows(before), inkOfRows(after)];
  const others = withoutAnswer(now, text);
  // A default goes with the first letter.
  const withoutDefault = [was.replace(new RegExp(HINT, ""), ""), inkOf(before.below.join(""))];
  return others !== null && [was, ...withoutDefault].includes(others);
}

/** Whether a dialog that cannot be read has the text in a field, and is the same beside this row. */
export function isTypedInto(text: string, before: Prompt | null, now: Prompt | null): boolean {
  if (!before || now?.parser !== before.parser || now.question !== before.question) return false;
  if (inkOf(text) === "") return false;
  const areRead = before.options.length > 0 || now.options.length > 0;
  if (areRead || now.evidence.length !== before.evidence.length) return false;
  const changed = [...now.evidence.keys()].filter((at) => now.evidence[at] !== before.evidence[at]);
  const [was = "", is = ""] = [before, now].map(({ evidence }) => evidence[changed[0] ?? -1]);
  const [countBefore, count] = [was, is].map((row) => countOf(inkOf(row), inkOf(text)));
  const without = count === countBefore ? withoutMask : withoutAnswer;
  const others = without(inkOf(is), text);
  // In place of a placeholder, or behind what stood there.
  const isField = others !== null && wordsIn(was).startsWith(wordsIn(others));
  return changed.length === 1 && isField;
}

const wordsIn = (ink: string): string => ink.replace(/[^\p{L}\p{N}]+/gu, "");

function withoutMask(ink: string, text: string): string | null {
  const [mask = ""] = /([^\p{L}\p{N}\s_\u2500-\u257f])\1+/u.exec(ink) ?? [];
  return [...mask].length === [...text].length ? ink.replace(mask, "") : null;
}

function withoutAnswer(ink: string, text: string): string | null {
  const answer = inkOf(text);
  const at = ink.lastIndexOf(answer);
  return at < 0 ? null : ink.slice(0, at) + ink.slice(at + answer.length);
}

/** Without what the answer to it replaces. */
function questionOn({ screen, prompt }: PaneReading): string {
  const row = screen.lines[prompt?.questionLine ?? -1]?.text ?? "";
  // A default goes with the first letter. The hint of a choice goes when its question is over.
  const asked = prompt?.options.length === 0 ? QUESTION : CHOICE;
  return (asked.exec(row)?.[0] ?? row).trim();
}

const QUESTION = /^.*?\p{L}[^?:›»>‣([]*[?:›»>‣]?/u;
const CHOICE = /^\P{L}*\p{L}.*?[?:›»>](?![^()[\]]*[)\]])/u;
