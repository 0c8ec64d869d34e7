import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { failed, waits, type Pane } from "../../model/pane.ts";
import { EMPTY_QUEUE, keepQueue, orderQueue, type Queue } from "../../model/queue.ts";
import type { Panes } from "./panes.ts";

export interface QueueDeps {
  readonly panes: Panes;
  readonly since: (pane: Pane) => number;
  readonly nowMs: () => number;
  readonly held: (id: string) => boolean;
}

/** The queue on the screen and its frozen order. */
export class QueueStore {
  readonly order = signal<Queue>(EMPTY_QUEUE);
  readonly waiting = this.#some(waits);
  readonly failed = this.#some(failed);
  readonly #deps: QueueDeps;

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

  /** Orders anew: on entering the screen, on pull-to-refresh, when the page becomes visible. */
  enter(): void {
    this.order.value = orderQueue(this.#deps.panes.all.peek(), this.#deps.since);
  }

  /** Takes a snapshot in without moving a card. */
  follow(): void {
    const { panes, since, nowMs, held } = this.#deps;
    this.order.value = keepQueue(this.order.peek(), panes.all.peek(), since, nowMs(), held);
  }
}
