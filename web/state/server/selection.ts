import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Server } from "./server.ts";

/** The row whose card stands beside the list, where there is room for both. */
export class Selection {
  readonly key = signal<string | null>(null);
  /** Monotonic milliseconds when another card came under the finger. */
  readonly swappedAt = signal(-Infinity);
  /** Counts the times that the reader was led on: the focus follows to the heading. */
  readonly led = signal(0);
  /** Its place in the list, from 1; 0 while it stands in none. */
  readonly place = computed(() => this.#keys.value.indexOf(this.key.value ?? "") + 1);
  /** What can be selected, in the order on the screen. */
  readonly #keys: ReadonlySignal<readonly string[]>;
  readonly #server: Pick<Server, "nowMs">;
  /** From 0, where what is selected stood last. */
  #stoodAt = 0;
  /** Nobody has chosen it: it was the first. */
  #isFirst = false;

  constructor(keys: ReadonlySignal<readonly string[]>, server: Pick<Server, "nowMs">) {
    this.#keys = keys;
    this.#server = server;
  }

  choose(key: string): void {
    this.#isFirst = false;
    if (key === this.key.peek()) return;
    batch(() => {
      this.key.value = key;
      this.swappedAt.value = this.#server.nowMs();
    });
  }

  /** Where what was selected has gone, the one that came up in its place; at first, the first. */
  settle(): void {
    const keys = this.#keys.peek();
    const place = this.place.peek();
    if (place > 0) this.#stoodAt = place - 1;
    else if (keys.length === 0) this.key.value = null;
    else {
      const isFirst = this.key.peek() === null;
      this.choose(keys[Math.min(this.#stoodAt, keys.length - 1)] ?? "");
      this.#isFirst = isFirst;
    }
  }

  /** The order was made anew: what nobody has chosen gives way to what is the first now. */
  orderedAnew(): void {
    if (this.#isFirst) this.clear();
  }

  /** On to the next card that `isLeft`; the reader stays with this one when there is none. */
  lead(isLeft: (key: string) => boolean): void {
    const next = this.#keys.peek().slice(this.place.peek()).find(isLeft);
    batch(() => {
      if (next !== undefined) this.choose(next);
      this.led.value += 1;
    });
  }

  clear(): void {
    this.key.value = null;
    this.#stoodAt = 0;
  }
}
