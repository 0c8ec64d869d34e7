import type { Composer, Finding, PromptOption } from "../detect/finding.ts";
import { fingerprints } from "../detect/prompt.ts";
import type { Screen } from "../detect/region.ts";
import { sha256 } from "../lib/digest.ts";
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
 * Of question and evidence; where no parser knows the dialog, of the rows from its question down; of an
 * overlay, of every row; without a prompt, of the draft that a text would be joined to. The rows above a
 * dialog never count: agents blink and spin there while it stands.
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

// Arrays of plain values have only one JSON text: no canonical form is needed.
function hash(value: readonly unknown[]): Buffer {
  return sha256(JSON.stringify(value));
}
