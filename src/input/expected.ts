import { fingerprints } from "../detect/fingerprint.ts";
import type { Prompt } from "../detect/finding.ts";
import type { Expected, GuardConflict } from "../protocol/input.ts";
import type { LegacyGuard, PaneState } from "../protocol/pane.ts";

type Difference = Extract<GuardConflict["reason"], "prompt_changed" | "options_changed">;

/** What differs between the prompt that the person saw and the one there is; null: nothing. */
export function differenceOf(expected: Expected, now: LegacyGuard): Difference | null {
  const { prompt_fingerprint, options_fingerprint } = expected;
  if (prompt_fingerprint !== undefined && prompt_fingerprint !== now.prompt_fingerprint)
    return "prompt_changed";
  if (options_fingerprint !== undefined && options_fingerprint !== now.options_fingerprint)
    return "options_changed";
  return null;
}

/**
 * The same for the Enter key, which takes the focused option: that one counts too. A published
 * fingerprint does not tell it, so the client says which it saw; one that does not say is taken to
 * have seen the latest snapshot.
 */
export function differenceForEnter(
  expected: Expected,
  prompt: Prompt | null,
  published: PaneState | null,
): Difference | null {
  const exact = fingerprints(prompt, { withSelected: true }).options_fingerprint;
  const isExact = expected.options_fingerprint === exact;
  const rest = isExact ? { ...expected, options_fingerprint: undefined } : expected;
  const difference = differenceOf(rest, fingerprints(prompt));
  if (difference || isExact || expected.options_fingerprint === undefined) return difference;
  const seen =
    expected.selected === undefined ? published && focusOf(published.menu) : expected.selected;
  if (expected.selected === undefined && !published) return null;
  return seen === focusOf(prompt?.options ?? []) ? null : "options_changed";
}

function focusOf(options: readonly { key: string; selected: boolean }[]): string | null {
  return options.find((option) => option.selected)?.key ?? null;
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
