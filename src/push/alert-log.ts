import type { AlertLogEntry } from "../protocol/push.ts";

const MAX_ENTRIES = 200;

/** The last decisions, newest last; in memory only. */
export class AlertLog {
  readonly #entries: AlertLogEntry[] = [];

  add(entry: AlertLogEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
  }

  get entries(): readonly AlertLogEntry[] {
    return [...this.#entries];
  }
}
