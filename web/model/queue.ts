import { failed, sinceOf, waits, type Pane } from "./pane.ts";

/** A pane that stopped waiting by itself keeps its slot this long. */
export const LEAVING_MS = 3000;

export interface Slot {
  readonly id: string;
  /** Monotonic milliseconds when it stopped waiting; null while it waits. */
  readonly leftAt: number | null;
}

/** The order on the screen: frozen while the queue is open, so that no card moves under a thumb. */
export interface Queue {
  readonly waiting: readonly Slot[];
  readonly errors: readonly Slot[];
}

export const EMPTY_QUEUE: Queue = { waiting: [], errors: [] };

type Since = (pane: Pane) => number;

/** The order from scratch: longest wait first in both groups. */
export function orderQueue(panes: readonly Pane[], since: Since): Queue {
  return {
    waiting: sorted(panes.filter(waits), since),
    errors: sorted(panes.filter(failed), sinceOf),
  };
}

/**
 * The frozen order after a snapshot: known slots keep their place, arrivals are appended to their
 * group, and a slot whose pane no longer belongs stays for `LEAVING_MS` (or while `held`).
 */
export function keepQueue(
  queue: Queue,
  panes: readonly Pane[],
  since: Since,
  nowMs: number,
  held: (id: string) => boolean,
): Queue {
  const waiting = keep(queue.waiting, panes.filter(waits), since, nowMs, held);
  const errors = keep(queue.errors, panes.filter(failed), sinceOf, nowMs, held);
  if (waiting === queue.waiting && errors === queue.errors) return queue;
  return { waiting, errors };
}

function keep(
  slots: readonly Slot[],
  present: readonly Pane[],
  since: Since,
  nowMs: number,
  held: (id: string) => boolean,
): readonly Slot[] {
  const here = new Set(present.map((pane) => pane.id));
  const known = new Set(slots.map((slot) => slot.id));
  const kept = slots.flatMap((slot) => {
    if (here.has(slot.id)) return slot.leftAt === null ? [slot] : [{ id: slot.id, leftAt: null }];
    const leftAt = slot.leftAt ?? nowMs;
    if (!held(slot.id) && nowMs - leftAt >= LEAVING_MS) return [];
    return slot.leftAt === null ? [{ id: slot.id, leftAt }] : [slot];
  });
  const arrived = sorted(
    present.filter((pane) => !known.has(pane.id)),
    since,
  );
  const next = [...kept, ...arrived];
  const same = next.length === slots.length && next.every((slot, i) => slot === slots[i]);
  return same ? slots : next;
}

function sorted(panes: readonly Pane[], since: Since): readonly Slot[] {
  return panes
    .toSorted((a, b) => since(a) - since(b))
    .map((pane) => ({ id: pane.id, leftAt: null }));
}

/**
 * The pane to answer after `id`, or before it: one on in the order of waiting, around its end; from a
 * pane that does not wait the longest waiting one. Null when nobody else waits.
 */
export function nextWaiting(
  panes: readonly Pane[],
  since: Since,
  id: string | null,
  step: 1 | -1 = 1,
): Pane | null {
  const order = panes.filter(waits).toSorted((a, b) => since(a) - since(b));
  const at = order.findIndex((pane) => pane.id === id);
  const start = at < 0 && step < 0 ? 0 : at;
  const next = order.at((start + step) % order.length) ?? null;
  return next?.id === id ? null : next;
}
