import { computed, signal } from "@preact/signals";
import { canSelect, type Pane } from "../../model/pane.ts";
import type { Press, PressTimes } from "./acts.ts";
import { Part } from "./part.ts";

/** Fewer cards are answered faster one by one. */
const OFFERED_FROM = 3;

type PickedAnswer = Omit<Press, keyof PressTimes | "stands">;

export interface SendProgress {
  readonly sent: number;
  /** Those that may have arrived. */
  readonly unclear: number;
  readonly done: number;
  readonly of: number;
  readonly isOver: boolean;
}

/** Answers picked on several cards, to be sent together; not stored. */
export class Picks extends Part {
  readonly isWanted = signal(false);
  /** Outside of the queue a tap still answers. */
  readonly isOn = computed(
    () => this.isWanted.value && this.server.browser.router.beside.value === "queue",
  );
  readonly isOffered = computed(
    () => this.isWanted.value || this.server.queue.asking.value.length >= OFFERED_FROM,
  );
  readonly all = signal<ReadonlyMap<string, PickedAnswer>>(new Map());
  /** Progress, shown for a moment after the last one too. */
  readonly sending = signal<SendProgress | null>(null);
  readonly isSending = computed(() => this.sending.value?.isOver === false);

  of(paneId: string): PickedAnswer | null {
    return this.all.value.get(paneId) ?? null;
  }

  /** Index of the picked option; -1 for none. */
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

  /** The same option again removes the pick. */
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
