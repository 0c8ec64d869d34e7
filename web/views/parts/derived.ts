import { computed, type ReadonlySignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { type Pane, waits } from "../../model/pane.ts";
import { sameValue } from "../../model/reuse.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { UNTOUCHED_MS } from "../../model/answer.ts";

/**
 * What follows from signals and from `inputs`. A snapshot that leads to an equal value draws nothing,
 * so a list derives what it is made of, and its rows ask for their panes themselves.
 */
export function useDerived<T>(derive: () => T, inputs: readonly unknown[]): T {
  const derived = useMemo(() => {
    let kept: { readonly value: T } | null = null;
    return computed(() => {
      const value = derive();
      if (kept === null || !sameValue(kept.value, value)) kept = { value };
      return kept.value;
    });
  }, inputs);
  return derived.value;
}

/** A pane as it is shown. Who reads it is drawn again when this pane has changed, not with every snapshot. */
export function usePane(id: string): ReadonlySignal<Pane | null> {
  const { panes } = useServer();
  return useMemo(() => computed(() => panes.find(id)), [id]);
}

/** The same; once it is gone, as it was while this is drawn. */
export function useLastPane(id: string | null): Pane | null {
  const pane = usePane(id ?? "").value;
  const last = useRef<Pane | null>(null);
  if (pane !== null || last.current?.id !== id) last.current = pane;
  return last.current;
}

/** How many cards wait, without a drawing for what else changes in them. */
export function useWaitingCount(except: string | null = null): number {
  const { panes, queue } = useServer();
  return useDerived(() => {
    const pane = panes.find(except ?? "");
    return queue.count.value - Number(pane !== null && waits(pane));
  }, [except]);
}

/** The newest value once the hand is off the screen, for what moves the page when it comes or goes. */
export function useWhenCalm<T>(value: T): T {
  const { clock, touch } = useBrowser();
  const shown = useRef(value);
  // Looked at again with every second, only as long as something waits.
  if (shown.current !== value && clock.now.value > 0 && touch.untouchedMs() >= UNTOUCHED_MS)
    shown.current = value;
  return shown.current;
}

/** The begin of this day in epoch seconds: who tells of days is drawn again at midnight, not each second. */
export function useToday(): number {
  const { clock } = useBrowser();
  return useDerived(() => new Date(clock.now.value * 1000).setHours(0, 0, 0, 0) / 1000, []);
}
