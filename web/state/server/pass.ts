import { computed, signal } from "@preact/signals";
import { isGone, leftOver, move, type Pass, type Stop } from "../../model/queue/pass.ts";
import type { Part, Server } from "./server.ts";

/** One card after another, in the order of the moment in which a person began. */
export class GoThrough implements Part {
  readonly pass = signal<Pass | null>(null);
  /** Monotonic milliseconds when another card came under the finger. */
  readonly swappedAt = signal(-Infinity);
  /** Null at the end. */
  readonly stop = computed<Stop | null>(() => {
    const pass = this.pass.value;
    return pass?.order[pass.at] ?? null;
  });
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  begin(): void {
    const { queue } = this.#server;
    const order = queue.sections
      .peek()
      .flatMap(({ section, slots }) => slots.map(({ key }): Stop => ({ key, section })));
    const first = move({ order, at: -1 }, 1, (key) => queue.entry(key));
    this.#take({ ...first, at: Math.max(0, first.at) });
  }

  step(by: 1 | -1): void {
    const pass = this.pass.peek();
    if (pass !== null) this.#take(move(pass, by, (key) => this.#server.queue.entry(key)));
  }

  /** On from this card, if it is still the one on the screen. */
  advance({ key }: Stop): void {
    if (this.stop.peek()?.key === key) this.step(1);
  }

  /** The card goes to the end of its section in the queue too. */
  later(): void {
    const stop = this.stop.peek();
    if (stop !== null) this.#server.queue.later(stop.key);
    this.step(1);
  }

  isGone(stop: Stop): boolean {
    return isGone(stop, (key) => this.#server.queue.entry(key));
  }

  left(): readonly Stop[] {
    const pass = this.pass.value;
    return pass === null ? [] : leftOver(pass, (key) => this.#server.queue.entry(key));
  }

  clear(): void {
    this.pass.value = null;
  }

  #take(pass: Pass): void {
    if (pass === this.pass.peek()) return;
    this.pass.value = pass;
    this.swappedAt.value = this.#server.nowMs();
  }
}
