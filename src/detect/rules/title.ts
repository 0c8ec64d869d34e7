import { unreadPrompt } from "../generic-prompt.ts";
import type { View } from "../region.ts";
import type { Rule } from "../rule.ts";

/**
 * A title that asks for a person. `composerLine` finds the program's input line: beside one, and
 * over a dialog that is not drawn whole, the title has to last before it is believed.
 */
export function waitingTitleRule(
  owner: string,
  title: RegExp,
  composerLine: ((view: View) => number | null) | null,
): Rule {
  return {
    id: `${owner}.waiting.title`,
    means: "needs_input",
    find: ({ view, input }) => {
      if (!title.test(input.title)) return null;
      const line = view.end - 1;
      const prompt = unreadPrompt(view, line, `${owner}.dialog`);
      if (!composerLine) return { line, prompt };
      return { line, prompt, unsettled: composerLine(view) === null ? "drawing" : "title" };
    },
  };
}

export function busyTitleRule(owner: string, title: RegExp): Rule {
  return {
    id: `${owner}.working.title`,
    means: "working",
    find: ({ input }) => (title.test(input.title) ? { line: null } : null),
  };
}
