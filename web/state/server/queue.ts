import { batch, computed, signal } from "@preact/signals";
import { failed, type Pane } from "../../model/pane.ts";
import {
  keepOrder,
  orderCards,
  putLast,
  SECTIONS,
  type Card,
  type Order,
  type Section,
  type Slot,
} from "../../model/queue.ts";
import { reuse } from "../../model/reuse.ts";
import { Part } from "./part.ts";

/** The cards on the screen, in their frozen order. */
export class QueueStore extends Part {
  readonly order = signal<Order>([]);
  /** Changes when the order is made anew. */
  readonly orderCount = signal(0);
  /** Sections that have cards. */
  readonly sections = computed(() =>
    SECTIONS.flatMap((section): { section: Section; slots: readonly Slot[] }[] => {
      const slots = this.slotsIn(section);
      return slots.length > 0 ? [{ section, slots }] : [];
    }),
  );
  readonly keys = computed(() => this.order.value.map(({ card }) => card.key));
  /** Waiting panes, in the order on the screen. */
  readonly asking = computed(() =>
    this.slotsIn("waiting").flatMap(({ card }) => card.pane_id ?? []),
  );
  /** The number shown everywhere: waiting cards, also while the queue is not on the screen. */
  readonly count = computed(
    () => this.#cards.value.filter(({ section }) => section === "waiting").length,
  );
  readonly selection = new Selection(this.server);
  /** Screens of dismissed errors, by pane. */
  readonly #away = signal<ReadonlyMap<string, string>>(new Map());
  readonly #cards = computed(() => {
    const away = this.#away.value;
    const { cards, find } = this.server.panes;
    if (away.size === 0) return cards.value;
    const isAway = ({ section, pane_id }: Card) => {
      const pane = section === "errors" ? find(pane_id ?? "") : null;
      return pane !== null && away.get(pane.id) === screenOf(pane);
    };
    return cards.value.filter((card) => !isAway(card));
  });

  slotsIn = (wanted: Section): readonly Slot[] =>
    this.order.value.filter(({ section }) => section === wanted);

  /** Null once it needs nobody. `agent:<id>`, or `pane:<id>`, which finds its agent's card too. */
  card(key: string): Card | null {
    const isIt = (card: Card) => card.key === key || key === `pane:${card.pane_id}`;
    return this.#cards.value.find(isIt) ?? null;
  }

  /** On entering the screen, on pull-to-refresh, when the page becomes visible. */
  enter(): void {
    const before = this.order.peek();
    // An equal order draws nothing again.
    this.order.value = reuse(before, orderCards(this.#cards.peek()), slotKey, isSameSlot);
    this.orderCount.value += 1;
  }

  /** Updates cards without moving any. */
  follow(): void {
    this.order.value = keepOrder(
      this.order.peek(),
      this.#cards.peek(),
      this.server.nowMs(),
      (slot) => this.#isHeld(slot),
    );
  }

  /** Until the queue is entered again. */
  later(key: string): void {
    this.order.value = putLast(this.order.peek(), key);
  }

  /** Removes the card of an answer from this page at once. */
  answered(paneId: string): void {
    this.order.value = this.order
      .peek()
      .filter(({ card, leftAt }) => card.pane_id !== paneId || leftAt === null);
  }

  /** Until its screen shows something else. */
  putAway(key: string): void {
    const pane = this.server.panes.latest(this.card(key)?.pane_id ?? "");
    if (pane === null || !failed(pane)) return;
    this.#away.value = new Map(this.#away.peek()).set(pane.id, screenOf(pane));
    this.order.value = this.order.peek().filter(({ card }) => card.key !== key);
  }

  /** A card that is being read, or has an answer under way, keeps its place. */
  #isHeld({ card: { key, pane_id, agent } }: Slot): boolean {
    const { answers, browser, panes } = this.server;
    const isThere = agent !== null || (pane_id !== null && panes.latest(pane_id) !== null);
    const isRead = browser.layout.columns.peek() > 1 && this.selection.key.peek() === key;
    return (isRead && isThere) || (pane_id !== null && answers.holds(pane_id));
  }
}

const slotKey = ({ section, card }: Slot): string => `${section} ${card.key}`;
const isSameSlot = (a: Slot, b: Slot): boolean => a.card === b.card && a.leftAt === b.leftAt;

/** The text that every snapshot has. */
const screenOf = ({ preview, evidence }: Pane): string => JSON.stringify([preview, evidence]);

/** The row whose card is shown beside the list. */
class Selection extends Part {
  readonly key = signal<string | null>(null);
  /** Changes when the selection was moved for the reader: the focus follows. */
  readonly leadCount = signal(0);
  /** From 1; 0 while it is not in the list. */
  readonly place = computed(() => this.#keys.value.indexOf(this.key.value ?? "") + 1);
  /** Last index of the selected card. */
  #stoodAt = 0;

  get #keys() {
    return this.server.queue.keys;
  }

  choose(key: string): void {
    if (key === this.key.peek()) return;
    this.key.value = key;
    // Another card is under the finger.
    this.server.browser.touch.shield();
  }

  /** Selects the card that took the place of a removed one; at first the first. */
  settle(): void {
    const keys = this.#keys.peek();
    const place = this.place.peek();
    if (place > 0) this.#stoodAt = place - 1;
    else if (keys.length === 0) this.key.value = null;
    else this.choose(keys[Math.min(this.#stoodAt, keys.length - 1)] ?? "");
  }

  /**
   * Selects the next card below with `isLeft`. With `goesRound` it wraps around, and takes the card
   * below where none is left. Without a next card the selection stays.
   */
  lead(isLeft: (key: string) => boolean, goesRound = false): void {
    const keys = this.#keys.peek();
    const below = keys.slice(this.place.peek());
    const above = keys.slice(0, Math.max(0, this.place.peek() - 1));
    const next = goesRound ? ([...below, ...above].find(isLeft) ?? below[0]) : below.find(isLeft);
    batch(() => {
      if (next !== undefined) this.choose(next);
      this.leadCount.value += 1;
    });
  }
}
