import { signal, type Signal } from "@preact/signals";
import type { Server } from "./server.ts";

/** State of one server, which ends with it. */
export abstract class Part {
  readonly server: Server;

  constructor(server: Server) {
    this.server = server;
  }
}

/** A signal for each key, made at its first use. */
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
