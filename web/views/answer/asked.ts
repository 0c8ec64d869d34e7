import { riskSentence } from "../../../src/protocol/labels.ts";
import type { MenuOption, Pane } from "../../model/pane.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { moreWords } from "../../words/queue.ts";

/** The switch of each danger that has one. */
const SWITCHES: Readonly<Partial<Record<string, keyof Preferences>>> = {
  standing_grant: "askGrant",
  deletes: "askDelete",
  rewrites_history: "askForce",
  root: "askRoot",
  runs_download: "askInternet",
};

/** Why an option is asked once more, and what its button says. */
export interface Asked {
  readonly why: string;
  readonly go: string;
}

/**
 * Why this option is asked once more in this browser, or null. What the server calls dangerous, and
 * whatever nobody can have read whole.
 */
export function askedFor(
  preferences: Preferences,
  prompt: Pick<Pane, "risk" | "cut"> | null,
  option: Pick<MenuOption, "risk" | "declines">,
): Asked | null {
  const risks = [option.declines === true ? null : prompt?.risk, option.risk];
  for (const risk of risks)
    for (const [i, kind] of (risk?.kinds ?? []).entries()) {
      const of = SWITCHES[kind];
      // A kind of a newer server is asked about whatever is switched off here.
      if (of !== undefined && preferences[of] !== true) continue;
      const why = riskSentence(kind, i === 0 ? (risk?.text ?? "") : "");
      return { why, go: kind === "standing_grant" ? "Allow always" : "Run it" };
    }
  return prompt?.cut ? { why: moreWords(prompt.cut), go: "Send it" } : null;
}
