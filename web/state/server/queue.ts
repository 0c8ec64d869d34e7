import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import { failed, waits, type Pane } from "../../model/pane.ts";
import { entriesOf, SECTIONS, type Entry, type Section } from "../../model/queue/entry.ts";
import {
  dropLeft,
  EMPTY_ORDER,
  keepOrder,
  orderEntries,
  putLast,
} from "../../model/queue/order.ts";
import { sameValue } from "../../model/reuse.ts";
import type { Panes } from "./panes.ts";

export interface QueueDeps {
  readonly panes: Panes;
  /** The cards of the agent workspace; null while it is off or not read. */
  readonly groups: () => readonly SeenGroup[] | null;
  readonly since: (pane: Pane) => number;
  readonly nowMs: () => number;
  readonly nowSeconds: () => number;
  readonly held: (paneId: string) => boolean;
  /** Sends the snapshot that is drawn of this agent. */
  readonly review: (agentId: string) => void;
}

export interface PaneSlot {
  readonly key: string;
  readonly id: string;
}

/** The queue on the screen and its frozen order. */
export class QueueStore {
  readonly order = signal(EMPTY_ORDER);
  /** The headings that have a card, with the keys of their cards from above. */
  readonly sections = computed(() =>
    SECTIONS.flatMap((section): { section: Section; keys: readonly string[] }[] => {
      const keys = this.order.value[section].map(({ key }) => key);
      return keys.length > 0 ? [{ section, keys }] : [];
    }),
  );
  readonly waiting = this.#some(waits);
  readonly failed = this.#some(failed);
  /** The one number: cards that wait. */
  readonly count = computed(
    () => this.#entries.value.filter(({ section }) => section === "waiting").length,
  );
  /** The row that is selected where a list stands beside its card. */
  readonly chosen = signal<string | null>(null);
  readonly #deps: QueueDeps;
  /** By pane, what its screen showed when its error was put away. */
  readonly #away = new Map<string, string>();
  readonly #entries = signal<readonly Entry[]>([]);

  constructor(deps: QueueDeps) {
    this.#deps = deps;
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

  /** The card as it is now; null once it needs nobody. The same object while nothing of it changes. */
  entry(key: string): Entry | null {
    return this.#entries.value.find((entry) => entry.key === key) ?? null;
  }

  /** Orders anew: on entering the screen, on pull-to-refresh, when the page becomes visible. */
  enter(): void {
    this.order.value = orderEntries(this.#read());
  }

  /** Takes in what is new without moving a card. */
  follow(): void {
    const { nowMs, held } = this.#deps;
    this.order.value = keepOrder(
      this.order.peek(),
      this.#read(),
      nowMs(),
      ({ paneId }) => paneId !== null && held(paneId),
    );
  }

  /** The slots of a section that stand for what a pane itself shows, without decisions of agents. */
  paneSlots(section: "waiting" | "errors"): readonly PaneSlot[] {
    const belongs = section === "waiting" ? waits : failed;
    return this.order.value[section].flatMap((slot) => {
      const { key, paneId, leftAt } = slot;
      const pane = paneId === null ? null : this.#deps.panes.find(paneId);
      const isPanes = leftAt !== null || (pane !== null && belongs(pane));
      return paneId !== null && isPanes ? [{ key, id: paneId }] : [];
    });
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

  /** Marks what is drawn of the card as reviewed. */
  reviewed(key: string): void {
    const agentId = this.entry(key)?.agentId ?? null;
    if (agentId !== null) this.#deps.review(agentId);
  }

  /** The card one on or back from `key` in the order on the screen, around its end; null for none. */
  next(key: string | null, step: 1 | -1): string | null {
    const keys = this.sections.value.flatMap((section) => section.keys);
    const at = key === null ? -1 : keys.indexOf(key);
    const start = at < 0 && step < 0 ? 0 : at;
    const next = keys.at((start + step) % keys.length) ?? null;
    return next === key ? null : next;
  }

  clear(): void {
    this.#away.clear();
    this.chosen.value = null;
    this.enter();
  }

  /** Each as the object that is already known where nothing about it differs. */
  #read(): readonly Entry[] {
    const { groups, nowSeconds, panes, since } = this.#deps;
    const before = this.#entries.peek();
    const known = new Map(before.map((entry) => [entry.key, entry]));
    const entries = entriesOf({
      panes: panes.all.peek(),
      groups: groups(),
      since,
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
