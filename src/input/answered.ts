import { fingerprints } from "../detect/fingerprint.ts";
import type { Prompt } from "../detect/finding.ts";

/** Long enough for a busy program to draw what follows an answer. */
const DRAWN_WITHIN_MS = 2000;

/** Keys that take or leave a dialog. */
const ANSWERS: ReadonlySet<string> = new Set(["Enter", "Escape", "C-c", "C-d"]);

export const isAnswer = (key: string): boolean => ANSWERS.has(key);

/**
 * Prompts that were answered a moment ago. Until its program has drawn, such a prompt looks as it
 * did before, and the answer of another browser would reach whatever comes next.
 */
export class Answered {
  readonly #nowMs: () => number;
  readonly #last = new Map<string, { readonly prompt: string; readonly until: number }>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  mark(id: string, prompt: Prompt): void {
    this.#forgetOld();
    this.#last.set(id, { prompt: nameOf(prompt), until: this.#nowMs() + DRAWN_WITHIN_MS });
  }

  /** Whether this is the prompt that was answered, not yet drawn over. */
  isStill(id: string, prompt: Prompt | null): boolean {
    const last = this.#last.get(id);
    if (last === undefined || prompt === null || this.#nowMs() > last.until) return false;
    return last.prompt === nameOf(prompt);
  }

  #forgetOld(): void {
    const now = this.#nowMs();
    for (const [id, { until }] of this.#last) if (now > until) this.#last.delete(id);
  }
}

const nameOf = (prompt: Prompt): string => Object.values(fingerprints(prompt)).join(" ");
