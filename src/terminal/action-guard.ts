import type { Composer, Finding } from "../detect/finding.ts";
import { fingerprints } from "../detect/prompt.ts";
import type { Screen } from "../detect/region.ts";
import { fingerprint } from "../lib/digest.ts";
import type { ActionGuard } from "../protocol/pane.ts";

/** The guard of a prompt, and an id for each of its options, in order. */
export interface GuardedPrompt {
  guard: ActionGuard;
  optionIds: readonly string[];
}

interface GuardFacts {
  revision: string;
  finding: Pick<Finding, "prompt" | "status" | "keepsPrevious" | "region">;
  screen: Screen;
  composer: Composer | null;
}

/** Binds an answer to this prompt; the id of an option is valid under this guard alone. */
export function guardedPrompt(facts: GuardFacts): GuardedPrompt {
  const { prompt } = facts.finding;
  const options = prompt?.options ?? [];
  const known = fingerprints(prompt);
  const focus = options.map(({ selected }) => selected);
  const prompt_fingerprint = promptFingerprint(facts, known.prompt_fingerprint);
  const options_fingerprint = fingerprint([known.options_fingerprint, focus]);
  const idOf = (index: number) =>
    fingerprint([prompt_fingerprint, options_fingerprint, index]).slice(-32);
  return {
    guard: { endpoint_revision: facts.revision, prompt_fingerprint, options_fingerprint },
    optionIds: options.map((_, index) => `o:${idOf(index)}`),
  };
}

/**
 * Of question and evidence; where no parser knows the dialog, of the rows from its question down; of an
 * overlay, of every row; without a prompt, of the draft that a text would be joined to. The rows above a
 * dialog never count: agents blink and spin there while it stands.
 */
function promptFingerprint(
  { finding, screen, composer }: GuardFacts,
  known: string | null,
): string {
  const { prompt, status, keepsPrevious, region } = finding;
  if (prompt?.recognised && known !== null) return known;
  if (prompt || keepsPrevious || status === "needs_input") {
    const rows = screen.lines.slice(prompt?.questionLine ?? region.start);
    return fingerprint([known, rows.map(({ text }) => text)]);
  }
  if (composer?.holds === "draft") return fingerprint(["draft", composer.text]);
  return fingerprint([composer?.holds === "unclear" ? "unclear" : "nothing"]);
}
