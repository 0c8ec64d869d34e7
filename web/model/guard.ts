import type { ExpectedPrompt, ExpectedGuard } from "../../src/protocol/input.ts";
import type { ActionGuard } from "../../src/protocol/pane.ts";
import { TAKING_KEYS } from "../../src/protocol/options.ts";
import { excerptOf } from "./excerpt.ts";
import { isGuarded, waits, type Pane } from "./pane.ts";
import { memoize } from "./reuse.ts";

/** Taps are ignored this long after a card changed or moved: a thumb on its way cannot be recalled. */
export const SHIELD_MS = 400;

/**
 * All that a person reads before answering. The excerpt belongs to it: two edits of one file ask the
 * same question over different diffs. The terminal's cursor (`selected`) moves freely on legacy
 * panes; on guarded panes it is part of what the server compares.
 */
export const signatureOf = memoize((pane: Pane): string => {
  const guarded = isGuarded(pane);
  return JSON.stringify([
    pane.id,
    pane.status === "needs_input",
    pane.question,
    excerptOf(pane),
    pane.menu.map((option) => [
      option.key,
      option.label,
      option.description,
      option.freeform,
      option.checked,
      guarded && option.selected,
    ]),
  ]);
});

/** The prompt that keys and texts go to; a pane that asks nothing may say what it likes meanwhile. */
export const promptOf = (pane: Pane): string => (waits(pane) ? signatureOf(pane) : "");

/**
 * The fingerprints of what was on the screen, both null where no prompt was shown; and the option at
 * the cursor, which an Enter key would take.
 */
export function expectedOf(pane: Pane): ExpectedPrompt {
  return {
    prompt_fingerprint: pane.legacy_guard?.prompt_fingerprint ?? null,
    options_fingerprint: pane.legacy_guard?.options_fingerprint ?? null,
    selected: pane.menu.find((option) => option.selected)?.key ?? null,
  };
}

/**
 * What a key to a guarded pane expects. Where nothing is asked the fingerprint of the prompt stands
 * for the draft in the input line: a key that takes nothing is for the program, whoever types there.
 */
export function guardOf(shown: Pane, guard: ActionGuard, key: string): ExpectedGuard {
  if (waits(shown) || TAKING_KEYS.has(key)) return guard;
  return { endpoint_revision: guard.endpoint_revision };
}

/** What a composer text expects: that no prompt has appeared meanwhile. */
export const NO_PROMPT: ExpectedPrompt = { prompt_fingerprint: null, options_fingerprint: null };
