import { computed, signal } from "@preact/signals";
import { SECTIONS, type Entry, type Section } from "../../model/queue/order.ts";
import type { Part, Server } from "./server.ts";

/** One card after another, in the order of the moment in which a person began. */
export class GoThrough implements Part {
  readonly pass = signal<Pass | null>(null);
  /** Monotonic milliseconds when another card came under the finger. */
  readonly swappedAt = signal(-Infinity);
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

export interface Stop {
  readonly key: string;
  readonly section: Section;
}

/** Going through the cards one by one; the order is that of the moment in which it began. */
export interface Pass {
  readonly order: readonly Stop[];
  /** The place on the screen; the end comes behind the last. */
  readonly at: number;
}

export type EntryOf = (key: string) => Entry | null;

/** Answered, reviewed or over: it has left the heading below which it stood, and moved to no higher one. */
export function isGone({ key, section }: Stop, entryOf: EntryOf): boolean {
  const entry = entryOf(key);
  return entry === null || SECTIONS.indexOf(entry.section) > SECTIONS.indexOf(section);
}

export function move(pass: Pass, step: 1 | -1, entryOf: EntryOf): Pass {
  const { order } = pass;
  const isOver = (at: number) => {
    const stop = order[at];
    return stop !== undefined && isGone(stop, entryOf);
  };
  let at = pass.at + step;
  while (isOver(at)) at += step;
  // Before the first that is left there is nothing: stay.
  return at < 0 || at > order.length ? pass : { ...pass, at };
}

export function placeOf({ order, at }: Pass): { section: Section; n: number; of: number } | null {
  const stop = order[at];
  if (stop === undefined) return null;
  const inSection = order.filter(({ section }) => section === stop.section);
  return { section: stop.section, n: inSection.indexOf(stop) + 1, of: inSection.length };
}

export const leftOver = ({ order }: Pass, entryOf: EntryOf): readonly Stop[] =>
  order.filter((stop) => !isGone(stop, entryOf));
