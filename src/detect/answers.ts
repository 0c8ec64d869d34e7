import type { AnswerStep, PromptOption } from "./finding.ts";
import type { ExtraRow, MenuRow } from "./menu.ts";

const FREEFORM =
  /type something|type your own|write your own|something else|custom value|none of (?:the above|these)|tell (?:claude|codex|the agent|it) what|differently|suggest changes|\bother\b/i;

/** The words are the contract's. */
export function invitesText(label: string): boolean {
  return FREEFORM.test(label);
}

export type Plan = readonly AnswerStep[];

export const ENTER = { do: "key", key: "Enter" } as const;
export const TEXT_ENTER = [{ do: "text" }, ENTER] as const;
export const VERIFY = { do: "verify" } as const;

export interface MenuRows {
  rows: readonly MenuRow[];
  /** Rows between them that have no number. */
  extras?: readonly ExtraRow[];
}

/**
 * What an option's key does. `takes`: it answers by itself, and an Enter behind it would answer the
 * next prompt. `moves`: it moves the focus there. `typed`: the program reads a line. `nothing`: it
 * does nothing, or nobody knows.
 */
export type OptionKey = "takes" | "moves" | "typed" | "nothing";

/** How the options of one kind of dialog are answered, as tried on the program. */
export interface DialogKeys {
  key: OptionKey | ((row: MenuRow) => OptionKey);
  /** Arrow keys, where they are not up and down. */
  arrows?: { back: string; on: string };
  /** Whether an option takes a text; absent: those whose label invites one. */
  isField?: (row: MenuRow) => boolean;
  /** The plan of such an option with a text, where its key `takes`; absent or null: none is safe. */
  answerWithText?: (row: MenuRow, answer: Plan, menu: MenuRows) => Plan | null;
  /** The open field, in which keys are text; absent or null: none is open. */
  open?: OpenField | null;
}

export interface OpenField {
  /** The option of the field; undefined where the screen does not tell. */
  row: MenuRow | undefined;
  answer: Plan;
  answerWithText: Plan;
  /** By arrow keys; otherwise no other option can be reached. */
  canBeLeft: boolean;
}

/** A field of which Enter takes the text. */
export function openAt(row: MenuRow | undefined, canBeLeft: boolean): OpenField {
  return { row, answer: [ENTER], answerWithText: TEXT_ENTER, canBeLeft };
}

/** For an option whose key opens its field. */
export function textIntoField(_: MenuRow, answer: Plan): Plan {
  return [...answer, VERIFY, ...TEXT_ENTER];
}

/** Declining ends the turn and gives the input line back: there the text is the next message. */
export function textAsMessage(_: MenuRow, answer: Plan): Plan {
  return [...answer, { do: "closed" }, ...TEXT_ENTER];
}

export const noField = (): boolean => false;

export function promptOptions(menu: MenuRows, keys: DialogKeys): PromptOption[] {
  return menu.rows.map((row) => optionOf(menu, row, keys));
}

function optionOf(menu: MenuRows, row: MenuRow, keys: DialogKeys): PromptOption {
  const { open, isField = ({ label }) => invitesText(label), answerWithText } = keys;
  if (open && open.row === row) return option(row, true, open.answer, open.answerWithText);
  const isFreeform = isField(row);
  const key = typeof keys.key === "string" ? keys.key : keys.key(row);
  const answer = planOf(menu, row, { ...keys, key });
  const takesText = isFreeform && !open && key === "takes" && answer.length > 0;
  const withText = takesText ? (answerWithText?.(row, answer, menu) ?? null) : null;
  return option(row, isFreeform, answer, withText);
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
  menu: MenuRows,
  row: MenuRow,
  { key, arrows, open }: DialogKeys & { key: OptionKey },
): Plan {
  if (open) return open.canBeLeft ? moveThenEnter(menu, row, arrows) : [];
  const typed = { do: "type", text: row.key } as const;
  if (key === "typed") return [typed, ENTER];
  // The first of two digits would answer another option.
  if (key === "nothing" || row.key.length > 1) return moveThenEnter(menu, row, arrows);
  return key === "takes" ? [typed] : [typed, VERIFY, ENTER];
}

/**
 * Without a visible focus there is no safe way: the plan is empty, and an option with an empty plan
 * is not answered.
 */
function moveThenEnter(menu: MenuRows, row: MenuRow, arrows: DialogKeys["arrows"]): Plan {
  const moves = moveTo(menu, row, arrows);
  return moves === null ? [] : [...moves, VERIFY, ENTER];
}

/**
 * Arrow keys from the focused row to this one, or null when no row is focused. Numbers are counted,
 * not lines: rows between two numbers may be scrolled out of sight.
 */
export function moveTo(
  { rows, extras = [] }: MenuRows,
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
