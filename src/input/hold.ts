/** A program that has not drawn within this time has not taken the answer, or asks the same again. */
const HELD_FOR_MS = 1000;

interface Answer {
  /** What names the prompt that was answered. */
  prompt: string;
  /** The words of the whole screen as it stood then. */
  screen: string;
  untilMs: number;
}

/**
 * Prompts that were answered a moment ago. Until its program has drawn, such a prompt looks as it
 * did before, and the answer of another browser would reach whatever comes next. One that is asked
 * again in the same words is another screen in between, or stands there after a second.
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

  /** Whether this is the screen that was answered, not yet drawn over. */
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
