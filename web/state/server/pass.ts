import { computed, signal } from "@preact/signals";
import { sectionOf, SECTIONS, type Slot } from "../../model/queue.ts";
import { Part } from "./part.ts";

interface Pass {
  /** Each below the heading that it had when a person began to go through them. */
  readonly order: readonly Slot[];
  /** The place on the screen; the end comes behind the last. */
  readonly at: number;
}

/** One card after another, in the order of the moment in which a person began. */
export class GoThrough extends Part {
  readonly pass = signal<Pass | null>(null);
  /** Null at the end. */
  readonly stop = computed<Slot | null>(() => {
    const pass = this.pass.value;
    return pass?.order[pass.at] ?? null;
  });
  /** The place of the card among those of its heading, from 1, and how many they are. */
  readonly place = computed(() => {
    const stop = this.stop.value;
    if (stop === null) return null;
    const { section } = stop;
    const inSection = (this.pass.value?.order ?? []).filter((one) => one.section === section);
    return { section, n: inSection.indexOf(stop) + 1, of: inSection.length };
  });

  /** At the card of that key, where it is still among them, else at the first. */
  begin(key?: string): void {
    const order = this.server.queue.order.peek();
    const left = order.findIndex(({ card }) => card.key === key);
    this.#move({ order, at: Math.max(0, left) - 1 }, 1);
  }

  /** One on or back, past cards that are gone; before the first that is left there is nothing. */
  step(by: 1 | -1): void {
    const pass = this.pass.peek();
    if (pass !== null) this.#move(pass, by);
  }

  /** On from this card, if it is still the one on the screen. */
  advance(stop: Slot): void {
    if (this.stop.peek() === stop) this.step(1);
  }

  /** The card goes to the end of its section in the queue too. */
  later(): void {
    const stop = this.stop.peek();
    if (stop !== null) this.server.queue.later(stop.card.key);
    this.step(1);
  }

  /** Answered, reviewed or over: it has left its heading, and moved to no higher one. */
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
