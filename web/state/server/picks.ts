import { computed, signal } from "@preact/signals";
import { canSelect, type Pane } from "../../model/pane.ts";
import type { Press, PressTimes } from "./acts.ts";
import { Part } from "./part.ts";

/** Two cards are answered sooner than picked. */
const OFFERED_FROM = 3;

export type PickedAnswer = Omit<Press, keyof PressTimes | "stands">;

export interface SendProgress {
  readonly sent: number;
  /** Those of which nobody knows whether they have arrived. */
  readonly unclear: number;
  readonly done: number;
  readonly of: number;
  readonly isOver: boolean;
}

/** Answers that are picked on several cards, to be sent in turn. They end with the page. */
export class Picks extends Part {
  readonly isWanted = signal(false);
  /** Elsewhere than in the queue a tap answers. */
  readonly isOn = computed(
    () => this.isWanted.value && this.server.browser.router.beside.value === "queue",
  );
  readonly isOffered = computed(
    () => this.isWanted.value || this.server.queue.asking.value.length >= OFFERED_FROM,
  );
  readonly all = signal<ReadonlyMap<string, PickedAnswer>>(new Map());
  /** How far they are, also for a moment after the last. */
  readonly sending = signal<SendProgress | null>(null);
  /** Nothing else is picked meanwhile. */
  readonly isSending = computed(() => this.sending.value?.isOver === false);

  of(paneId: string): PickedAnswer | null {
    return this.all.value.get(paneId) ?? null;
  }

  /** -1 while no option is picked. */
  placeIn({ id }: Pane): number {
    const pick = this.of(id);
    return pick?.option ? pick.shown.menu.indexOf(pick.option) : -1;
  }

  takes(pane: Pane): boolean {
    return (
      pane.menu.length > 0 &&
      pane.menu.every((option) => option.checked === null && canSelect(pane, option))
    );
  }

  /** Picks; the same option again leaves the card open. */
  pick(pick: PickedAnswer): void {
    if (this.isSending.peek()) return;
    const { shown, option, text } = pick;
    const place = option === null ? -1 : shown.menu.indexOf(option);
    const isSame =
      text === null && this.of(shown.id)?.text === null && place === this.placeIn(shown);
    this.put(shown.id, isSame ? null : pick);
  }

  put(id: string, pick: PickedAnswer | null): void {
    const picks = new Map(this.all.peek());
    if (pick === null) picks.delete(id);
    else picks.set(id, pick);
    this.all.value = picks;
  }
}
