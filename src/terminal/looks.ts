/** An action's echo comes late, and more often than not at once after the first look. */
const LOOKS_MS = [10, 30, 80, 200];

/** Which panes are looked at again after an action, and when. */
export class Looks {
  readonly #timers = new Map<string, Set<Timer>>();
  readonly #onDue: (id: string) => void;

  constructor(onDue: (id: string) => void) {
    this.#onDue = onDue;
  }

  begin(id: string): void {
    this.end(id);
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

  /** The pane has changed: no further looks. */
  end(id: string): void {
    for (const timer of this.#timers.get(id) ?? []) clearTimeout(timer);
    this.#timers.delete(id);
  }

  endAll(): void {
    for (const id of [...this.#timers.keys()]) this.end(id);
  }
}
