import { computed, type ReadonlySignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { type Pane, waits } from "../../model/pane.ts";
import { sameValue } from "../../model/reuse.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { UNTOUCHED_MS } from "../../model/answer.ts";

/**
 * A value computed from signals and from `inputs`. A snapshot that gives an equal value redraws nothing:
 * so a list derives the ids of its rows, and each row asks for its own pane.
 */
export function useDerived<T>(derive: () => T, inputs: readonly unknown[]): T {
  const derived = useMemo(() => {
    let cached: { readonly value: T } | null = null;
    return computed(() => {
      const value = derive();
      if (cached === null || !sameValue(cached.value, value)) cached = { value };
      return cached.value;
    });
  }, inputs);
  return derived.value;
}

/** The reader is redrawn when this pane has changed, not with every snapshot. */
export function usePane(id: string): ReadonlySignal<Pane | null> {
  const { panes } = useServer();
  return useMemo(() => computed(() => panes.find(id)), [id]);
}

/** The pane, and once it is gone its last state. */
export function useLastPane(id: string | null): Pane | null {
  const pane = usePane(id ?? "").value;
  const last = useRef<Pane | null>(null);
  if (pane !== null || last.current?.id !== id) last.current = pane;
  return last.current;
}

/** The number of waiting cards, without that of the pane `except`. */
export function useWaitingCount(except: string | null = null): number {
  const { panes, queue } = useServer();
  return useDerived(() => {
    const pane = panes.find(except ?? "");
    return queue.count.value - Number(pane !== null && waits(pane));
  }, [except]);
}

/** The newest value once no finger is on the screen: for parts whose coming or going moves the page. */
export function useWhenCalm<T>(value: T): T {
  const { clock, touch } = useBrowser();
  const settled = useRef(value);
  // Subscribes to the clock only while a newer value waits.
  if (settled.current !== value && clock.now.value > 0 && touch.untouchedMs() >= UNTOUCHED_MS)
    settled.current = value;
  return settled.current;
}

/** Midnight before now in epoch seconds: its reader is redrawn once a day, not each second. */
export function useToday(): number {
  const { clock } = useBrowser();
  return useDerived(() => new Date(clock.now.value * 1000).setHours(0, 0, 0, 0) / 1000, []);
}
