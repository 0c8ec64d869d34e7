import type { Prompt } from "../detect/finding.ts";
import type { Expected, GuardConflict } from "../protocol/input.ts";
import type { LegacyGuard } from "../protocol/pane.ts";

type Difference = Extract<GuardConflict["reason"], "prompt_changed" | "options_changed">;

/** What differs between the prompt that the person saw and the one on the screen; null: nothing. */
export function differenceOf(expected: Expected, now: LegacyGuard): Difference | null {
  const { prompt_fingerprint, options_fingerprint } = expected;
  if (prompt_fingerprint !== undefined && prompt_fingerprint !== now.prompt_fingerprint)
    return "prompt_changed";
  if (options_fingerprint !== undefined && options_fingerprint !== now.options_fingerprint)
    return "options_changed";
  return null;
}

/**
 * The same for the Enter key, which takes the focused option of a menu: it is refused unless the
 * client says that it saw that option focused.
 */
export function differenceForEnter(
  expected: Expected,
  now: LegacyGuard,
  hasMenu: boolean,
): Difference | null {
  const difference = differenceOf(expected, now);
  if (difference) return difference;
  if (!hasMenu && expected.selected === undefined) return null;
  return expected.selected === now.selected ? null : "options_changed";
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
