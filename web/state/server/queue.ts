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

/** The cards of the server on the screen, in their frozen order. */
export class QueueStore extends Part {
  readonly order = signal<Order>([]);
  /** Counts the orders that were made anew. */
  readonly orderCount = signal(0);
  /** The headings that have a card, with their cards from above. */
  readonly sections = computed(() =>
    SECTIONS.flatMap((section): { section: Section; slots: readonly Slot[] }[] => {
      const slots = this.slotsIn(section);
      return slots.length > 0 ? [{ section, slots }] : [];
    }),
  );
  /** Every card from above. */
  readonly keys = computed(() => this.order.value.map(({ card }) => card.key));
  /** Panes that wait, as they stand on the screen. */
  readonly asking = computed(() =>
    this.slotsIn("waiting").flatMap(({ card }) => card.pane_id ?? []),
  );
  /** The one number: cards that wait, also where the queue is not on the screen. */
  readonly count = computed(
    () => this.#cards.value.filter(({ section }) => section === "waiting").length,
  );
  /** The row that is selected where a list stands beside its card. */
  readonly selection = new Selection(this.server);
  /** By pane, what its screen showed when its error was put away. */
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

  /** The card as it is now; null once it needs nobody. The key of a pane holds also once the agent in
   * it is known. */
  card(key: string): Card | null {
    const isIt = (card: Card) => card.key === key || key === `pane:${card.pane_id}`;
    return this.#cards.value.find(isIt) ?? null;
  }

  /** What there is to tell of a session. */
  cardOf(agentId: string | null): Card | null {
    return (
      this.#cards.value.find((card) => card.agent !== null && card.agent_id === agentId) ?? null
    );
  }

  /** Orders anew: on entering the screen, on pull-to-refresh, when the page becomes visible. */
  enter(): void {
    const before = this.order.peek();
    // Entering what stands as it did draws nothing again.
    this.order.value = reuse(before, orderCards(this.#cards.peek()), slotKey, isSameSlot);
    this.orderCount.value += 1;
  }

  /** Takes in what is new without moving a card. */
  follow(): void {
    this.order.value = keepOrder(
      this.order.peek(),
      this.#cards.peek(),
      this.server.nowMs(),
      (slot) => this.#isHeld(slot),
    );
  }

  /** To the end of its section, until the queue is entered again. */
  later(key: string): void {
    this.order.value = putLast(this.order.peek(), key);
  }

  /** An answer from here is done: its card makes room for the next one. */
  answered(paneId: string): void {
    this.order.value = this.order
      .peek()
      .filter(({ card, leftAt }) => card.pane_id !== paneId || leftAt === null);
  }

  /** Hides an error until its screen shows something else. */
  putAway(key: string): void {
    const pane = this.server.panes.latest(this.card(key)?.pane_id ?? "");
    if (pane === null || !failed(pane)) return;
    this.#away.value = new Map(this.#away.peek()).set(pane.id, screenOf(pane));
    this.order.value = this.order.peek().filter(({ card }) => card.key !== key);
  }

  /** Whether a card keeps its place although it belongs there no more: what is being read stays. */
  #isHeld({ card: { key, pane_id, agent } }: Slot): boolean {
    const { answers, browser, panes } = this.server;
    const isThere = agent !== null || (pane_id !== null && panes.latest(pane_id) !== null);
    const isRead = browser.layout.columns.peek() > 1 && this.selection.key.peek() === key;
    return (isRead && isThere) || (pane_id !== null && answers.holds(pane_id));
  }
}

const slotKey = ({ section, card }: Slot): string => `${section} ${card.key}`;
const isSameSlot = (a: Slot, b: Slot): boolean => a.card === b.card && a.leftAt === b.leftAt;

/** What a person can have read of it, in the text that every snapshot brings. */
const screenOf = ({ preview, evidence }: Pane): string => JSON.stringify([preview, evidence]);

/** The row whose card stands beside the list, where there is room for both. */
export class Selection extends Part {
  readonly key = signal<string | null>(null);
  /** Counts the times that the reader was led on: the focus follows to the heading. */
  readonly leadCount = signal(0);
  /** Its place in the list, from 1; 0 while it stands in none. */
  readonly place = computed(() => this.#keys.value.indexOf(this.key.value ?? "") + 1);
  /** From 0, where what is selected stood last. */
  #stoodAt = 0;

  /** What can be selected, in the order on the screen. */
  get #keys() {
    return this.server.queue.keys;
  }

  choose(key: string): void {
    if (key === this.key.peek()) return;
    this.key.value = key;
    // Another card came under the finger.
    this.server.browser.touch.shield();
  }

  /** Where what was selected has gone, the one that came up in its place; at first, the first. */
  settle(): void {
    const keys = this.#keys.peek();
    const place = this.place.peek();
    if (place > 0) this.#stoodAt = place - 1;
    else if (keys.length === 0) this.key.value = null;
    else this.choose(keys[Math.min(this.#stoodAt, keys.length - 1)] ?? "");
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
      this.leadCount.value += 1;
    });
  }
}
