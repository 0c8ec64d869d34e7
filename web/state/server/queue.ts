import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import type { SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import { failed, type Pane, waits } from "../../model/pane.ts";
import {
  EMPTY_ORDER,
  SECTIONS,
  dropLeft,
  entriesOf,
  keepOrder,
  orderEntries,
  putLast,
  type Entry,
  type Section,
  type Slot,
} from "../../model/queue/order.ts";
import { reuse } from "../../model/reuse.ts";
import type { Server } from "./server.ts";

/** The queue on the screen and its frozen order. */
export class QueueStore {
  readonly order = signal(EMPTY_ORDER);
  /** Counts the orders that were made anew. */
  readonly made = signal(0);
  /** The headings that have a card, with their cards from above. */
  readonly sections = computed(() =>
    SECTIONS.flatMap((section): { section: Section; slots: readonly Slot[] }[] => {
      const slots = this.order.value[section];
      return slots.length > 0 ? [{ section, slots }] : [];
    }),
  );
  /** Every card from above. */
  readonly keys = computed(() =>
    this.sections.value.flatMap(({ slots }) => slots.map(({ key }) => key)),
  );
  readonly waiting = this.#some(waits);
  readonly failed = this.#some(failed);
  /** The one number: cards that wait, also where the queue is not on the screen. */
  readonly count = computed(() => {
    const panes = new Set(this.waiting.value.map(({ id }) => id));
    const agents = this.#server.workspace.current.value?.summary.value.value?.waiting ?? [];
    return panes.size + agents.filter(({ pane_id }) => !panes.has(pane_id ?? "")).length;
  });
  /** The row that is selected where a list stands beside its card. */
  readonly chosen: Selection;
  readonly #server: Server;
  /** By pane, what its screen showed when its error was put away. */
  readonly #away = new Map<string, string>();
  #enteredMs = 0;
  /** Whether the cards of agents were part of the order when it was made. */
  #hasGroups = false;
  readonly #entries = signal<readonly Entry[]>([]);

  constructor(server: Server) {
    this.#server = server;
    this.chosen = new Selection(this.keys, server);
  }

  /** Panes of one kind; the same list while none of them has changed. */
  #some(belongs: (pane: Pane) => boolean): ReadonlySignal<readonly Pane[]> {
    let list: readonly Pane[] = [];
    return computed(() => {
      const next = this.#server.panes.all.value.filter(belongs);
      return (list = reuse(list, next, ({ id }) => id, Object.is));
    });
  }

  /** The card as it is now; null once it needs nobody. The same object while nothing of it changes.
   * The key of a pane holds also once the agent in it is known. */
  entry(key: string): Entry | null {
    const isIt = (entry: Entry) => entry.key === key || key === `pane:${entry.paneId}`;
    return this.#entries.value.find(isIt) ?? null;
  }

  /** Orders anew: on entering the screen, on pull-to-refresh, when the page becomes visible. */
  enter(): void {
    this.#enteredMs = this.#server.nowMs();
    this.#hasGroups = this.#groups() !== null;
    this.#orderAnew();
  }

  #orderAnew(): void {
    this.order.value = orderEntries(this.#read());
    this.made.value += 1;
  }

  /** Takes in what is new without moving a card. */
  follow(): void {
    const now = this.#server.nowMs();
    const areFirst = !this.#hasGroups && this.#groups() !== null;
    this.#hasGroups ||= areFirst;
    // What agents ask comes a moment after what panes show: nobody has read the order without it.
    if (areFirst && this.#server.untouchedMs() >= now - this.#enteredMs) {
      this.#server.browser.shield.raise();
      this.chosen.orderedAnew();
      return this.#orderAnew();
    }
    this.order.value = keepOrder(this.order.peek(), this.#read(), now, (slot) =>
      this.#isHeld(slot),
    );
  }

  /** To the end of its section, until the queue is entered again. */
  later(key: string): void {
    this.order.value = putLast(this.order.peek(), key);
  }

  /** An answer from here is done: its card makes room for the next one. */
  answered(paneId: string): void {
    this.order.value = dropLeft(this.order.peek(), paneId);
  }

  /** Hides an error until its screen shows something else. */
  putAway(key: string): void {
    const paneId = this.entry(key)?.paneId ?? null;
    const pane = paneId === null ? null : this.#server.panes.latest(paneId);
    if (pane === null || !failed(pane)) return;
    this.#away.set(pane.id, screenOf(pane));
    const order = this.order.peek();
    this.order.value = { ...order, errors: order.errors.filter((slot) => slot.key !== key) };
    this.follow();
  }

  clear(): void {
    this.#away.clear();
    this.chosen.clear();
    this.enter();
  }

  /** Whether this card stands beside the list: what is being read stays. */
  isRead(key: string): boolean {
    const { columns } = this.#server.browser.layout;
    return columns.peek() > 1 && this.chosen.key.peek() === key;
  }

  /** Whether a card keeps its place although it belongs there no more. */
  #isHeld({ key, paneId }: Slot): boolean {
    return this.isRead(key) || (paneId !== null && this.#server.acts.holds(paneId));
  }

  /** Before the panes are known, each agent would have a card beside that of its pane. */
  #groups(): readonly SeenGroup[] | null {
    if (!this.#server.panes.isLoaded.peek()) return null;
    return this.#server.workspace.current.value?.review.value.value?.groups ?? null;
  }

  /** Each as the object that is already known where nothing about it differs. */
  #read(): readonly Entry[] {
    const { browser, panes } = this.#server;
    const entries = entriesOf({
      panes: panes.all.peek(),
      groups: this.#groups(),
      now: browser.clock.now.peek(),
      isPutAway: (pane) => this.#away.get(pane.id) === screenOf(pane),
    });
    this.#entries.value = reuse(this.#entries.peek(), entries, ({ key }) => key);
    return this.#entries.peek();
  }
}

/** What a person can have read of it, in the text that every snapshot brings. */
const screenOf = ({ preview, evidence }: Pane): string => JSON.stringify([preview, evidence]);

/** The row whose card stands beside the list, where there is room for both. */
export class Selection {
  readonly key = signal<string | null>(null);
  /** Counts the times that the reader was led on: the focus follows to the heading. */
  readonly led = signal(0);
  /** Its place in the list, from 1; 0 while it stands in none. */
  readonly place = computed(() => this.#keys.value.indexOf(this.key.value ?? "") + 1);
  /** What can be selected, in the order on the screen. */
  readonly #keys: ReadonlySignal<readonly string[]>;
  readonly #server: Pick<Server, "browser">;
  /** From 0, where what is selected stood last. */
  #stoodAt = 0;
  /** Nobody has chosen it: it was the first. */
  #isFirst = false;

  constructor(keys: ReadonlySignal<readonly string[]>, server: Pick<Server, "browser">) {
    this.#keys = keys;
    this.#server = server;
  }

  choose(key: string): void {
    this.#isFirst = false;
    if (key === this.key.peek()) return;
    this.key.value = key;
    // Another card came under the finger.
    this.#server.browser.shield.raise();
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

  /**
   * On to the next card that `isLeft`, after the last one from the top where `goesRound`, else to the one
   * below; the reader stays with this one when there is none.
   */
  lead(isLeft: (key: string) => boolean, goesRound = false): void {
    const keys = this.#keys.peek();
    const below = keys.slice(this.place.peek());
    const above = keys.slice(0, Math.max(0, this.place.peek() - 1));
    const next = goesRound ? ([...below, ...above].find(isLeft) ?? below[0]) : below.find(isLeft);
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
