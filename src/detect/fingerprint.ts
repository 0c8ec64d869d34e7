import { sha256 } from "../lib/digest.ts";
import type { LegacyGuard } from "../protocol/pane.ts";
import type { Prompt } from "./finding.ts";

/** The identity of a prompt: digests of its whole question and evidence and of all options, and the focus. */
export function fingerprints(prompt: Prompt | null): LegacyGuard {
  if (!prompt) return { prompt_fingerprint: null, options_fingerprint: null, selected: null };
  return {
    prompt_fingerprint: digest([
      prompt.question,
      prompt.evidence,
      ...(prompt.beyond ? [prompt.beyond.texts] : []),
    ]),
    options_fingerprint: digest(
      prompt.options.map((option) => [
        option.key,
        option.label,
        option.description,
        option.freeform,
        option.checked,
      ]),
    ),
    selected: prompt.options.find((option) => option.selected)?.key ?? null,
  };
}

// Arrays of plain values have one JSON text, so that no canonical form is needed.
function digest(value: readonly unknown[]): string {
  return `sha256:${sha256(JSON.stringify(value)).toString("hex")}`;
}
