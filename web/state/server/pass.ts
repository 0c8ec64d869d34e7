import { computed, signal } from "@preact/signals";
import { sectionOf, SECTIONS, type Slot } from "../../model/queue.ts";
import { Part } from "./part.ts";

interface Pass {
  /** With the sections of the moment when the person began. */
  readonly order: readonly Slot[];
  /** Index of the open card; `order.length` at the end. */
  readonly at: number;
}

/** Going through the cards one by one, in the order of the moment when the person began. */
export class GoThrough extends Part {
  readonly pass = signal<Pass | null>(null);
  readonly stop = computed<Slot | null>(() => {
    const pass = this.pass.value;
    return pass?.order[pass.at] ?? null;
  });
  /** Its number (from 1) and the total in its section. */
  readonly place = computed(() => {
    const stop = this.stop.value;
    if (stop === null) return null;
    const { section } = stop;
    const inSection = (this.pass.value?.order ?? []).filter((one) => one.section === section);
    return { section, n: inSection.indexOf(stop) + 1, of: inSection.length };
  });

  /** Begins at that card where it is still there, else at the first. */
  begin(key?: string): void {
    const order = this.server.queue.order.peek();
    const left = order.findIndex(({ card }) => card.key === key);
    this.#move({ order, at: Math.max(0, left) - 1 }, 1);
  }

  /** Skips cards that are gone; does nothing before the first. */
  step(by: 1 | -1): void {
    const pass = this.pass.peek();
    if (pass !== null) this.#move(pass, by);
  }

  /** Only if this card is still open. */
  advance(stop: Slot): void {
    if (this.stop.peek() === stop) this.step(1);
  }

  /** Puts the card last in the queue too. */
  later(): void {
    const stop = this.stop.peek();
    if (stop !== null) this.server.queue.later(stop.card.key);
    this.step(1);
  }

  /** Whether its card has left the section without moving to a higher one. */
  isGone({ card, section }: Slot): boolean {
    const now = this.server.queue.card(card.key);
    const its = now && sectionOf(now);
    return its === null || SECTIONS.indexOf(its) > SECTIONS.indexOf(section);
  }

  remaining(): readonly Slot[] {
    const { queue } = this.server;
    const left = this.pass.value?.order.filter((stop) => !this.isGone(stop)) ?? [];
    return left.map((stop) => ({ ...stop, card: queue.card(stop.card.key) ?? stop.card }));
  }

  clear(): void {
    this.pass.value = null;
  }

  #move({ order, at: from }: Pass, by: 1 | -1): void {
    let at = from + by;
    for (let stop = order[at]; stop !== undefined && this.isGone(stop); stop = order[at]) at += by;
    if (at < 0 || at > order.length) return;
    this.pass.value = { order, at };
    this.server.browser.touch.shield();
  }
}
