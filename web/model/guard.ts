import type { ExpectedPrompt, ExpectedGuard } from "../../src/protocol/input.ts";
import type { ActionGuard } from "../../src/protocol/pane.ts";
import { TAKING_KEYS } from "../../src/protocol/options.ts";
import { excerptOf } from "./excerpt.ts";
import { isGuarded, waits, type Pane } from "./pane.ts";
import { memoize } from "./reuse.ts";

/**
 * Milliseconds after a change or move of a card in which presses do nothing: the finger was already
 * on its way.
 */
export const SHIELD_MS = 400;

/**
 * Everything that a person reads before answering. The excerpt belongs to it: two edits of one file
 * ask the same question over different diffs. The cursor (`selected`) moves freely on legacy panes;
 * on guarded panes the server compares it too.
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

/** The prompt that keys and texts go to. Without a question any output is the same "no prompt". */
export const promptOf = (pane: Pane): string => (waits(pane) ? signatureOf(pane) : "");

/**
 * Both fingerprints are null where no prompt was shown. `selected` is the option that Enter would
 * take.
 */
export function expectedOf(pane: Pane): ExpectedPrompt {
  return {
    prompt_fingerprint: pane.legacy_guard?.prompt_fingerprint ?? null,
    options_fingerprint: pane.legacy_guard?.options_fingerprint ?? null,
    selected: pane.menu.find((option) => option.selected)?.key ?? null,
  };
}

/**
 * What a key to a guarded pane expects. Without a question the prompt fingerprint stands for the
 * draft in the input line, which a key that takes nothing does not touch.
 */
export function guardOf(shown: Pane, guard: ActionGuard, key: string): ExpectedGuard {
  if (waits(shown) || TAKING_KEYS.has(key)) return guard;
  return { endpoint_revision: guard.endpoint_revision };
}

/** A composer text expects that no prompt has appeared meanwhile. */
export const NO_PROMPT: ExpectedPrompt = { prompt_fingerprint: null, options_fingerprint: null };
