import { signal, type Signal } from "@preact/signals";

/** One signal for each key, made when it is first asked for. */
export class Signals<T> {
  readonly #all = new Map<string, Signal<T>>();
  readonly #initial: T;

  constructor(initial: T) {
    this.#initial = initial;
  }

  of(key: string): Signal<T> {
    const known = this.#all.get(key);
    if (known !== undefined) return known;
    const made = signal(this.#initial);
    this.#all.set(key, made);
    return made;
  }

  entries(): readonly (readonly [string, Signal<T>])[] {
    return [...this.#all];
  }
}
