import type { AlertLogEntry } from "../protocol/push.ts";

const MAX_ENTRIES = 200;

/** The last decisions, newest last; in memory only. */
export class AlertLog {
  #entries: AlertLogEntry[] = [];

  add(entry: AlertLogEntry): void {
    this.#entries = [...this.#entries.slice(1 - MAX_ENTRIES), entry];
  }

  get entries(): readonly AlertLogEntry[] {
    return this.#entries;
  }
}
