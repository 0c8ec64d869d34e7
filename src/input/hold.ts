/** After this time without a redraw the program has ignored the answer, or asks the same again. */
const HELD_FOR_MS = 1000;

interface Answer {
  /** Fingerprints of the prompt that was answered. */
  prompt: string;
  /** The words of the whole screen as it stood then. */
  screen: string;
  untilMs: number;
}

/**
 * Prompts that were answered a moment ago. Until the program redraws, such a prompt looks unanswered,
 * and a second client's answer would go to whatever the program shows next. A question that is asked
 * again in the same words is told apart by the screen in between, or by the time that has passed.
 */
export class Hold {
  readonly #nowMs: () => number;
  readonly #last = new Map<string, Answer>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  mark(id: string, answered: Pick<Answer, "prompt" | "screen">): void {
    this.#forgetOld();
    this.#last.set(id, { ...answered, untilMs: this.#nowMs() + HELD_FOR_MS });
  }

  /** Whether an answer of a moment ago may still be on the screen. */
  holds(id: string): boolean {
    return this.#nowMs() < (this.#last.get(id)?.untilMs ?? -Infinity);
  }

  /** Whether the screen is still the one that was answered. */
  isHeld(id: string, now: Pick<Answer, "prompt" | "screen">): boolean {
    const last = this.#last.get(id);
    if (last === undefined || this.#nowMs() >= last.untilMs) return false;
    if (last.screen === now.screen) return last.prompt === now.prompt;
    this.#last.delete(id);
    return false;
  }

  #forgetOld(): void {
    const now = this.#nowMs();
    for (const [id, { untilMs }] of this.#last) if (now >= untilMs) this.#last.delete(id);
  }
}
