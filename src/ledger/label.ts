import type { ActAbout } from "../protocol/act.ts";
import { firstCharacters as cut } from "../protocol/characters.ts";
import type { PaneState } from "../protocol/pane.ts";

export type SentInput = { label: string } | { option: string } | { text: string };

const MAX_LABEL_CHARS = 160;
const MAX_WORDS_CHARS = 80;
const MAX_ABOUT_CHARS = 200;

/** For the disk, without words that a person has typed. */
export function labelOf(input: SentInput, state: PaneState | null): string {
  if ("label" in input) return cut(input.label, MAX_LABEL_CHARS);
  if ("text" in input) return lengthOf(input.text);
  const option = state?.menu.find(({ id, key }) => id === input.option || key === input.option);
  return option ? cut(option.label, MAX_LABEL_CHARS) : lengthOf(input.option);
}

/** Null outside an agent: a program may ask for a password, which it does not draw. */
export function labelWords(input: SentInput, state: PaneState | null): string | null {
  return "text" in input && input.text !== "" && state?.agent
    ? cut(input.text, MAX_WORDS_CHARS)
    : null;
}

export function actAbout(state: PaneState | null): ActAbout | null {
  if (state?.status !== "needs_input" || state.about === null) return null;
  const { kind, text } = state.about;
  return { kind, text: cut(text, MAX_ABOUT_CHARS) };
}

function lengthOf(text: string): string {
  const { length } = [...text];
  return `text of ${length} ${length === 1 ? "character" : "characters"}`;
}
