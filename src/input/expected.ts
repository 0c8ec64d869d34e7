import { fingerprints } from "../detect/fingerprint.ts";
import type { Prompt } from "../detect/finding.ts";
import type { Expected, GuardConflict } from "../protocol/input.ts";
import type { PaneState } from "../protocol/pane.ts";

type Difference = Extract<GuardConflict["reason"], "prompt_changed" | "options_changed">;

/** What differs between the prompt that the person saw and this one; null when nothing does. */
export function differenceOf(expected: Expected, prompt: Prompt | null): Difference | null {
  const now = fingerprints(prompt);
  const { prompt_fingerprint, options_fingerprint } = expected;
  if (prompt_fingerprint !== undefined && prompt_fingerprint !== now.prompt_fingerprint)
    return "prompt_changed";
  if (options_fingerprint !== undefined && options_fingerprint !== now.options_fingerprint)
    return "options_changed";
  return null;
}

/**
 * The same for the Enter key, which takes the focused option: that one counts too. A published
 * fingerprint does not tell it, so the snapshot that the person looked at does.
 */
export function differenceForEnter(
  expected: Expected,
  prompt: Prompt | null,
  published: PaneState | null,
): Difference | null {
  const { options_fingerprint } = fingerprints(prompt, { withSelected: true });
  if (expected.options_fingerprint === options_fingerprint)
    return differenceOf({ ...expected, options_fingerprint: undefined }, prompt);
  const difference = differenceOf(expected, prompt);
  if (difference || expected.options_fingerprint === undefined || !published) return difference;
  const focused = (options: readonly { key: string; selected: boolean }[]) =>
    options.find((option) => option.selected)?.key;
  return focused(published.menu) === focused(prompt?.options ?? []) ? null : "options_changed";
}

/**
 * Whether what asks now is only the echo of a text that was just typed: a generic pattern reads
 * `Continue?` in a command line as well.
 */
export function isEcho(prompt: Prompt, text: string): boolean {
  const typed = fold(text).slice(0, 40);
  return !prompt.recognised && typed !== "" && fold(prompt.question).includes(typed);
}

function fold(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
