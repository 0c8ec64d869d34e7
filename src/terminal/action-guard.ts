import type { Prompt, PromptOption } from "../detect/finding.ts";
import type { ActionGuard } from "../protocol/pane.ts";

/** The guard of a pane whose input is guarded, and an id for each of its options, in order. */
export interface GuardedPrompt {
  guard: ActionGuard;
  optionIds: readonly string[];
}

/**
 * Binds an answer to exactly what was seen. `text` is the whole detection buffer, in which blanks
 * count; the options count with the focused one. An option's id is good for this guard alone.
 */
export function guardedPrompt(
  revision: string,
  text: string,
  prompt: Prompt | null,
): GuardedPrompt {
  const prompt_fingerprint = digest([prompt?.question ?? null, text]);
  const options = (prompt?.options ?? []).map(optionFacts);
  const options_fingerprint = digest(options);
  return {
    guard: { endpoint_revision: revision, prompt_fingerprint, options_fingerprint },
    optionIds: options.map((option, index) =>
      optionId([prompt_fingerprint, options_fingerprint, index, option]),
    ),
  };
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
  return Buffer.from(new Bun.CryptoHasher("sha256").update(JSON.stringify(value)).digest());
}
