/**
 * When a pane is looked at again after an action. Its echo comes late, and more often than not right
 * after the first look; what is seen first may be half drawn, so that a change does not end the looks.
 */
const LOOKS_MS = [10, 30, 80, 200];

/** Looks again at panes that were acted on. */
export class Recheck {
  readonly #timers = new Map<string, Set<Timer>>();
  readonly #onDue: (id: string) => void;

  constructor(onDue: (id: string) => void) {
    this.#onDue = onDue;
  }

  begin(id: string): void {
    this.#end(id);
    const timers = new Set<Timer>();
    this.#timers.set(id, timers);
    for (const delayMs of LOOKS_MS) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        if (timers.size === 0) this.#timers.delete(id);
        this.#onDue(id);
      }, delayMs);
      timers.add(timer);
    }
  }

  endAll(): void {
    for (const id of [...this.#timers.keys()]) this.#end(id);
  }

  #end(id: string): void {
    for (const timer of this.#timers.get(id) ?? []) clearTimeout(timer);
    this.#timers.delete(id);
  }
}
