import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import type { WaitingAgent } from "../../../src/protocol/review.ts";
import { failed, waits, type Pane } from "../../model/pane.ts";
import { entriesOf, SECTIONS, type Entry, type Section } from "../../model/queue/entry.ts";
import {
  dropLeft,
  EMPTY_ORDER,
  keepOrder,
  orderEntries,
  putLast,
  type Slot,
} from "../../model/queue/order.ts";
import { sameValue } from "../../model/reuse.ts";
import type { Panes } from "./panes.ts";
import { Selection } from "./selection.ts";

export interface QueueDeps {
  readonly panes: Panes;
  /** The cards of the agent workspace; null while it is off or not read. */
  readonly groups: () => readonly SeenGroup[] | null;
  /** Agents with an open decision, told also where their cards are not read. */
  readonly waitingAgents: () => readonly WaitingAgent[];
  readonly nowMs: () => number;
  readonly nowSeconds: () => number;
  /** Whether a card keeps its place although it belongs there no more. */
  readonly held: (slot: Slot) => boolean;
  /** Milliseconds since the page was touched last. */
  readonly untouchedMs: () => number;
  /** Other cards come under the finger. */
  readonly onOrdered: () => void;
}

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
    const others = this.#deps
      .waitingAgents()
      .filter(({ pane_id }) => pane_id === null || !panes.has(pane_id));
    return panes.size + others.length;
  });
  /** The row that is selected where a list stands beside its card. */
  readonly chosen: Selection;
  readonly #deps: QueueDeps;
  /** By pane, what its screen showed when its error was put away. */
  readonly #away = new Map<string, string>();
  #enteredMs = 0;
  /** Whether the cards of agents were part of the order when it was made. */
  #hasGroups = false;
  readonly #entries = signal<readonly Entry[]>([]);

  constructor(deps: QueueDeps) {
    this.#deps = deps;
    this.chosen = new Selection({ keys: this.keys, nowMs: deps.nowMs });
  }

  /** Panes of one kind; the same list while none of them has changed. */
  #some(belongs: (pane: Pane) => boolean): ReadonlySignal<readonly Pane[]> {
    let list: readonly Pane[] = [];
    return computed(() => {
      const next = this.#deps.panes.all.value.filter(belongs);
      const isSame = next.length === list.length && next.every((pane, i) => pane === list[i]);
      list = isSame ? list : next;
      return list;
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
    this.#enteredMs = this.#deps.nowMs();
    this.#hasGroups = this.#groups() !== null;
    this.#orderAnew();
  }

  #orderAnew(): void {
    this.order.value = orderEntries(this.#read());
    this.made.value += 1;
  }

  /** Takes in what is new without moving a card. */
  follow(): void {
    const { held, nowMs, onOrdered, untouchedMs } = this.#deps;
    const areFirst = !this.#hasGroups && this.#groups() !== null;
    this.#hasGroups ||= areFirst;
    // What agents ask comes a moment after what panes show: nobody has read the order without it.
    if (areFirst && untouchedMs() >= nowMs() - this.#enteredMs) {
      onOrdered();
      this.chosen.orderedAnew();
      return this.#orderAnew();
    }
    this.order.value = keepOrder(this.order.peek(), this.#read(), nowMs(), held);
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
    const pane = paneId === null ? null : this.#deps.panes.latest(paneId);
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

  /** Before the panes are known, each agent would have a card beside that of its pane. */
  #groups(): readonly SeenGroup[] | null {
    return this.#deps.panes.isLoaded.peek() ? this.#deps.groups() : null;
  }

  /** Each as the object that is already known where nothing about it differs. */
  #read(): readonly Entry[] {
    const { nowSeconds, panes } = this.#deps;
    const before = this.#entries.peek();
    const known = new Map(before.map((entry) => [entry.key, entry]));
    const entries = entriesOf({
      panes: panes.all.peek(),
      groups: this.#groups(),
      now: nowSeconds(),
      isPutAway: (pane) => this.#away.get(pane.id) === screenOf(pane),
    }).map((entry) => {
      const same = known.get(entry.key);
      return same !== undefined && sameValue(same, entry) ? same : entry;
    });
    const isSame = entries.length === before.length && entries.every((e, i) => e === before[i]);
    if (!isSame) this.#entries.value = entries;
    return this.#entries.peek();
  }
}

/** What a person can have read of it, in the text that every snapshot brings. */
const screenOf = ({ preview, evidence }: Pane): string => JSON.stringify([preview, evidence]);
