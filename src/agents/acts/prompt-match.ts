import type { MenuOption } from "../../protocol/pane.ts";
import type { AskedQuestion } from "../logs/events.ts";

/** What the live screen asks, as a pane tells of it. */
export interface LivePrompt {
  question: string;
  menu: readonly Pick<MenuOption, "key" | "label" | "freeform">[];
}

/** Options that the programs add to every question of their own accord. */
const ADDED =
  /^(?:type something|type your own answer|chat about this|skip interview.*|none of the above|other|submit|next)$/;

/**
 * The keys of the live options, in the order of the question's own, when both say the same word by
 * word; null when they do not. Options that the program adds by itself are left aside, those only
 * that stand behind the question's own.
 */
export function matchQuestion(
  asked: AskedQuestion,
  live: LivePrompt,
  place: { index: number; count: number } = { index: 0, count: 1 },
): string[] | null {
  const words = wordsOf(asked.question);
  // Of several questions at once, the screen names which of them it shows.
  const named = `question ${place.index + 1} ${place.count} ${words}`;
  const shown = wordsOf(live.question);
  if (shown !== words && (place.count === 1 || shown !== named)) return null;
  const own = live.menu.slice(0, asked.options.length);
  const added = live.menu.slice(asked.options.length);
  if (own.length !== asked.options.length || !added.every(isAdded)) return null;
  const isSame = asked.options.every(
    ({ label }, at) => wordsOf(label) === wordsOf(own[at]?.label ?? ""),
  );
  return isSame ? own.map(({ key }) => key) : null;
}

function isAdded(option: LivePrompt["menu"][number]): boolean {
  return option.freeform || ADDED.test(wordsOf(option.label));
}

/** Letters and digits in order; neither case nor marks nor line breaks count. */
export function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
}
