import type { LegacyGuard } from "../protocol/pane.ts";
import type { Prompt } from "./finding.ts";

/**
 * Opaque digests of what a person saw: question and evidence, and every option. `withSelected`
 * makes the focused option count, for an Enter that would take it.
 */
export function fingerprints(
  prompt: Prompt | null,
  options: { withSelected?: boolean } = {},
): LegacyGuard {
  if (!prompt) return { prompt_fingerprint: null, options_fingerprint: null };
  return {
    prompt_fingerprint: digest([prompt.question, prompt.evidence]),
    options_fingerprint: digest(
      prompt.options.map((option) => [
        option.key,
        option.label,
        option.description,
        option.freeform,
        option.checked,
        options.withSelected === true && option.selected,
      ]),
    ),
  };
}

// Arrays of plain values have one JSON text, so that no canonical form is needed.
function digest(value: readonly unknown[]): string {
  return `sha256:${new Bun.CryptoHasher("sha256").update(JSON.stringify(value)).digest("hex")}`;
}
