import type { MenuOption, Pane } from "../pane.ts";
import type { SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { foldText } from "../text.ts";

/** What of a decision asks for words of the person's own: only its terminal takes those. */
export interface OwnWords {
  /** Ids of the decision's own options. */
  readonly ids: readonly string[];
  /** What the program has added to them. */
  readonly added: readonly MenuOption[];
}

export const NO_OWN_WORDS: OwnWords = { ids: [], added: [] };

/** As the live menu calls them, while that menu is the one that the decision was proved by. */
export function ownWordsOf(
  { prompt_fingerprint, options }: Pick<SeenDecision, "prompt_fingerprint" | "options">,
  pane: Pane | null,
): OwnWords {
  const live = pane?.legacy_guard?.prompt_fingerprint ?? null;
  if (pane === null || live === null || live !== prompt_fingerprint) return NO_OWN_WORDS;
  const freeform = pane.menu.filter((option) => option.freeform);
  const isNamed = (label: string) =>
    freeform.some((option) => plainLabel(option.label) === plainLabel(label));
  const labels = new Set(options.map(({ label }) => plainLabel(label)));
  return {
    ids: options.filter(({ label }) => isNamed(label)).map(({ id }) => id),
    added: freeform.filter(({ label }) => !labels.has(plainLabel(label))),
  };
}

/** Letters and digits: the log and the screen differ in marks. */
export const plainLabel = (label: string): string =>
  (foldText(label).match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
