import type { Composer, Finding, PromptOption } from "../detect/finding.ts";
import { fingerprints } from "../detect/prompt.ts";
import type { Screen } from "../detect/region.ts";
import { sha256 } from "../lib/digest.ts";
import type { ActionGuard } from "../protocol/pane.ts";

/** The guard of a pane whose input is guarded, and an id for each of its options, in order. */
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

/** Binds an answer to the prompt that was seen; an option's id is good for this guard alone. */
export function guardedPrompt(facts: GuardFacts): GuardedPrompt {
  const prompt_fingerprint = promptFingerprint(facts);
  const options = (facts.finding.prompt?.options ?? []).map(optionFacts);
  const options_fingerprint = digest(options);
  return {
    guard: { endpoint_revision: facts.revision, prompt_fingerprint, options_fingerprint },
    optionIds: options.map((option, index) =>
      optionId([prompt_fingerprint, options_fingerprint, index, option]),
    ),
  };
}

/**
 * Agents blink and spin in the rows above a dialog for as long as it stands, so these never count:
 * question and evidence do, and where no parser knows the dialog the rows from its question down. Of
 * an overlay every row does. Without a prompt it is the draft that a text would be joined to.
 */
function promptFingerprint({ finding, screen, composer }: GuardFacts): string {
  const { prompt, status, keepsPrevious, region } = finding;
  const known = fingerprints(prompt).prompt_fingerprint;
  if (prompt?.recognised && known !== null) return known;
  if (prompt || keepsPrevious || status === "needs_input") {
    const rows = screen.lines.slice(prompt?.questionLine ?? region.start);
    return digest([known, rows.map(({ text }) => text)]);
  }
  if (composer?.holds === "draft") return digest(["draft", composer.text]);
  return digest([composer?.holds === "unclear" ? "unclear" : "nothing"]);
}

function optionFacts(option: PromptOption): readonly unknown[] {
  const { key, label, description, selected, freeform, checked } = option;
  return [key, label, description, selected, freeform, checked];
}

function optionId(facts: readonly unknown[]): string {
  return `o:${hash(facts).toString("base64url").slice(0, 32)}`;
}

function digest(value: readonly unknown[]): string {
  return `sha256:${hash(value).toString("hex")}`;
}

// Arrays of plain values have one JSON text, so that no canonical form is needed.
function hash(value: readonly unknown[]): Buffer {
  return sha256(JSON.stringify(value));
}
