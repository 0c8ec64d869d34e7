import type { Clock } from "../lib/clock.ts";
import type { LedgerStore } from "./ledger-store.ts";

const HOUR_SECONDS = 3600;

/** Who tried to sign in and was not let in: one row an hour, with its count and the last address. */
export class RefusedSigns {
  readonly #store: LedgerStore;
  readonly #clock: Clock;
  #row: { seq: number; from: number; count: number; written: number; what: string } | null = null;

  constructor(store: LedgerStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  note(address: string): void {
    const at = this.#clock.now();
    const known = this.#row;
    if (known && Math.abs(at - known.from) < HOUR_SECONDS) {
      known.count += 1;
      known.what = address;
      // Guesses must not keep the disk busy.
      if (known.count >= 2 * known.written) this.recount();
      return;
    }
    this.recount();
    const by = { grant: "", name: address };
    this.#store.later((store) => {
      const seq = store.note({ kind: "sign_refused", what: address, by, at, count: 1 });
      this.#row = { seq, from: at, count: 1, written: 1, what: address };
    });
    this.#store.flush();
  }

  /** Has the count written with what comes next. */
  recount(): void {
    const row = this.#row;
    if (row === null || row.count === row.written) return;
    const { seq, count, what } = row;
    row.written = count;
    this.#store.later((store) => store.recount(seq, count, what));
  }
}
