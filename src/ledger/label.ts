import type { ActAbout } from "../protocol/act.ts";
import { firstCharacters as cut } from "../protocol/characters.ts";
import type { PaneState } from "../protocol/pane.ts";

export type SentInput = { label: string } | { option: string } | { text: string };

const MAX_LABEL_CHARS = 160;
const MAX_WORDS_CHARS = 80;
const MAX_ABOUT_CHARS = 200;

/** For the disk: nothing of what a person has written. */
export function labelOf(said: SentInput, state: PaneState | null): string {
  if ("label" in said) return cut(said.label, MAX_LABEL_CHARS);
  if ("text" in said) return lengthOf(said.text);
  const option = state?.menu.find(({ id, key }) => id === said.option || key === said.option);
  return option ? cut(option.label, MAX_LABEL_CHARS) : lengthOf(said.option);
}

/** Null where nobody may read it: a program may be asking for a password, which it does not draw. */
export function labelWords(said: SentInput, state: PaneState | null): string | null {
  return "text" in said && said.text !== "" && state?.agent
    ? cut(said.text, MAX_WORDS_CHARS)
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
