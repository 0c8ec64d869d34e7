import { composerOf } from "../composer.ts";
import type { Prompt } from "../finding.ts";
import { questionWithEvidence, keyedPrompt, unreadPrompt } from "../generic-prompt.ts";
import { type LiveMenu, readBoxedMenu, readLastBox, readOpenMenu } from "../live-menu.ts";
import { CURSORS } from "../menu.ts";
import { findLast, lineAt, type View } from "../region.ts";
import { rule, type Rule } from "../rule.ts";

const HINT =
  /\b(?:enter|return|esc|escape)\b(?: to)? (?:confirm|select|submit|continue|cancel|exit|go back)\b|[↑↓]/iu;

interface MenuTraits {
  owner: string;
  /** The input line, where more than a mark at the left edge may begin it. */
  inputLine?: RegExp;
  /** Marks of a cursor without those that begin its messages. */
  cursors?: string;
  /** A key answers at once: an Enter behind it would answer the next prompt. */
  keysAnswer?: boolean;
  framedOnly?: boolean;
}

/**
 * Numbered rows that no rule of the agent could read: a list that would be found in an unknown program
 * must be found in a known one too.
 */
export function agentMenuRule(traits: MenuTraits): Rule {
  const { owner } = traits;
  return rule(`${owner}.menu`, "needs_input", (view) => findAgentMenu(view, traits));
}

export function findAgentMenu(view: View, traits: MenuTraits): Prompt | null {
  const live = readMenu(view, traits);
  if (!live) return null;
  const key = traits.keysAnswer ? "takes" : "nothing";
  const prompt = keyedPrompt(live, `${traits.owner}.menu`, key);
  // Qwen Code leaves the place of a command empty that has no room.
  const isBare = prompt.evidence.length === 0 && /^(?:Allow|Apply)\b/.test(prompt.question);
  return isBare ? { ...prompt, evidence: ["…"] } : prompt;
}

function readMenu(
  view: View,
  { inputLine, framedOnly, cursors = CURSORS.agent }: MenuTraits,
): LiveMenu | null {
  const box = readLastBox(view);
  const boxed = box && readBoxedMenu(view, box);
  const open = boxed || framedOnly ? null : readOpenMenu(view, cursors);
  const live = boxed ?? (open && isAsked(open) ? open : null);
  if (!live || questionWithEvidence(live).question === null) return null;
  const below = view.lines.slice(boxed && box ? box.bottom + 1 : live.menu.end, view.end);
  return inputLine && below.some((line) => inputLine.test(line)) ? null : live;
}

/**
 * A message may begin with a cursor's mark; it has neither a question above, which a narrow screen may
 * cut off, nor hints below.
 */
function isAsked(live: LiveMenu): boolean {
  const { view, menu } = live;
  const { question } = questionWithEvidence(live);
  if (question && /[?？:…]$/u.test(lineAt(view, question.end - 1))) return true;
  return findLast(view, 3, (line, i) => i >= menu.end && HINT.test(line)) !== null;
}

/**
 * A title that asks for a person. It has to last before it is believed, since an input line may be on
 * the screen, or a dialog that is not whole.
 */
export function waitingTitleRule(owner: string, title: RegExp): Rule {
  return rule(`${owner}.waiting.title`, "needs_input", (view, { input, agent }) => {
    if (!title.test(input.title)) return null;
    const line = view.end - 1;
    const prompt = unreadPrompt(view, line, `${owner}.dialog`);
    return { line, prompt, unsettled: composerOf(agent, view) === null ? "drawing" : "title" };
  });
}

export function busyTitleRule(owner: string, title: RegExp): Rule {
  return rule(`${owner}.working.title`, "working", (_, { input }) =>
    title.test(input.title) ? { line: null } : null,
  );
}
