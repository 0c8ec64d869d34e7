import type { AnswerStep, PromptOption } from "./finding.ts";
import type { ExtraRow, MenuRow } from "./menu.ts";

const FREEFORM =
  /type something|type your own|write your own|something else|custom value|none of (?:the above|these)|tell (?:claude|codex|the agent|it) what|differently|suggest changes|\bother\b/i;

/** Whether a label invites a text (the contract's words). */
export function invitesText(label: string): boolean {
  return FREEFORM.test(label);
}

export type Plan = readonly AnswerStep[];

export const ENTER = { do: "key", key: "Enter" } as const;
/** The person's own words, taken with Enter. */
export const WORDS = [{ do: "text" }, ENTER] as const;
export const LOOK = { do: "verify" } as const;

export interface Rows {
  rows: readonly MenuRow[];
  /** Rows between them without a place in their count. */
  extras?: readonly ExtraRow[];
}

/**
 * What an option's key does. `takes`: it answers by itself, and an Enter behind it would answer the
 * next prompt. `moves`: the focus goes there. `typed`: a line is read. `nothing`: it does nothing,
 * or nobody knows.
 */
export type OptionKey = "takes" | "moves" | "typed" | "nothing";

/** How the options of one kind of dialog are answered: what was tried on the program, as data. */
export interface DialogKeys {
  key: OptionKey | ((row: MenuRow) => OptionKey);
  /** Arrow keys, where they are not up and down. */
  arrows?: { back: string; on: string };
  /** Whether an option takes a person's words; absent: those whose label invites them. */
  isField?: (row: MenuRow) => boolean;
  /** How the words follow it, where its key leads there; absent, or null: they cannot. */
  words?: (row: MenuRow, answer: Plan, menu: Rows) => Plan | null;
  /** A field is open, so that keys are text; absent or null where none is. */
  open?: OpenField | null;
}

export interface OpenField {
  /** The option that it belongs to; undefined where that cannot be seen. */
  row: MenuRow | undefined;
  answer: Plan;
  words: Plan;
  /** Arrow keys lead out of it; else no other option can be reached. */
  isLeft: boolean;
}

/** A field in which Enter takes what stands there, with the words of a person or without. */
export function openAt(row: MenuRow | undefined, isLeft: boolean): OpenField {
  return { row, answer: [ENTER], words: WORDS, isLeft };
}

/** The words of an option whose key leads to its field. */
export function wordsInto(_: MenuRow, answer: Plan): Plan {
  return [...answer, LOOK, ...WORDS];
}

/** Declining ends the turn and gives the input line back, where the words are the next message. */
export function wordsAfter(_: MenuRow, answer: Plan): Plan {
  return [...answer, { do: "closed" }, ...WORDS];
}

/** Of a list in which nothing takes words. */
export const noField = (): boolean => false;

export function answered(menu: Rows, how: DialogKeys): PromptOption[] {
  return menu.rows.map((row) => optionOf(menu, row, how));
}

function optionOf(menu: Rows, row: MenuRow, how: DialogKeys): PromptOption {
  const { open, isField = ({ label }) => invitesText(label), words } = how;
  if (open && open.row === row) return option(row, true, open.answer, open.words);
  const isFreeform = isField(row);
  const key = typeof how.key === "string" ? how.key : how.key(row);
  const answer = planOf(menu, row, { ...how, key });
  const takesWords = isFreeform && !open && key === "takes" && answer.length > 0;
  return option(row, isFreeform, answer, takesWords ? (words?.(row, answer, menu) ?? null) : null);
}

function option(
  { key, label, description, selected, checked }: MenuRow,
  freeform: boolean,
  answer: Plan,
  answerWithText: Plan | null,
): PromptOption {
  return { key, label, description, selected, freeform, checked, answer, answerWithText };
}

function planOf(
  menu: Rows,
  row: MenuRow,
  { key, arrows, open }: DialogKeys & { key: OptionKey },
): Plan {
  if (open) return open.isLeft ? moveThenEnter(menu, row, arrows) : [];
  const typed = { do: "type", text: row.key } as const;
  if (key === "typed") return [typed, ENTER];
  // The first of two digits would answer another option.
  if (key === "nothing" || row.key.length > 1) return moveThenEnter(menu, row, arrows);
  return key === "takes" ? [typed] : [typed, LOOK, ENTER];
}

/**
 * Moves, looks again, and takes with Enter. Without a focus that can be seen there is no safe way:
 * the plan is empty, and an option with an empty plan is not answered.
 */
function moveThenEnter(menu: Rows, row: MenuRow, arrows: DialogKeys["arrows"]): Plan {
  const moves = moveTo(menu, row, arrows);
  return moves === null ? [] : [...moves, LOOK, ENTER];
}

/**
 * Arrow keys from the focused row to this one, or null when no row is focused. Numbers count, not
 * rows on the screen: between two of them some may be scrolled out of sight.
 */
export function moveTo(
  { rows, extras = [] }: Rows,
  row: MenuRow,
  { back, on }: { back: string; on: string } = { back: "Up", on: "Down" },
): Plan | null {
  const from = rows.find((r) => r.selected);
  if (!from) return null;
  const isBetween = ({ line }: ExtraRow) => (line - from.line) * (line - row.line) < 0;
  const isNumbered = rows.every((r) => /^\d+$/.test(r.key));
  const place = (of: MenuRow) => (isNumbered ? Number(of.key) : rows.indexOf(of));
  const distance = place(row) - place(from);
  const count = Math.abs(distance) + extras.filter(isBetween).length;
  return Array.from(
    { length: count },
    () => ({ do: "key", key: distance < 0 ? back : on }) as const,
  );
}
