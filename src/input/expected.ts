import type { Prompt } from "../detect/finding.ts";
import type { Expected, GuardConflict } from "../protocol/input.ts";
import type { LegacyGuard } from "../protocol/pane.ts";

type Difference = Extract<GuardConflict["reason"], "prompt_changed" | "options_changed">;
type Part = "prompt" | "options";

/** The first part that differs between what the person saw and what is there now; null: nothing. */
export function differenceOf(
  expected: Pick<Expected, `${Part}_fingerprint`>,
  now: Pick<LegacyGuard, `${Part}_fingerprint`>,
  order: readonly Part[] = ["prompt", "options"],
): Difference | null {
  for (const part of order) {
    const wanted = expected[`${part}_fingerprint`];
    if (wanted !== undefined && wanted !== now[`${part}_fingerprint`]) return `${part}_changed`;
  }
  return null;
}

/**
 * Of the Enter key, which takes the focused option of a menu: it is refused unless the client says
 * that it saw that option focused.
 */
export function focusDifference(
  { selected }: Expected,
  now: LegacyGuard,
  hasMenu: boolean,
): Difference | null {
  const isFree = !hasMenu && selected === undefined;
  return isFree || selected === now.selected ? null : "options_changed";
}

/**
 * Whether the prompt is only the echo of a text that was just typed: a generic pattern matches
 * `Continue?` in a typed command line as well.
 */
export function isEcho(prompt: Prompt, text: string): boolean {
  const typed = fold(text).slice(0, 40);
  return !prompt.recognised && typed !== "" && fold(prompt.question).includes(typed);
}

function fold(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
