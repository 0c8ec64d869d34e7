import { computed, useSignal, type ReadonlySignal } from "@preact/signals";
import type { JSX, RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { usePane } from "./derived.ts";

/** Whether an element is on the screen or near it. */
export type Nearness = ReadonlySignal<boolean>;

/**
 * What `draw` gives while the element of a pane is on the screen or near it; else what it gave last,
 * or where there are many, `away` with the name alone. Away from the screen a snapshot draws nothing,
 * so a list of a hundred busy panes costs what the visible ones cost.
 */
export function useDrawnNear(
  element: RefObject<HTMLElement | null>,
  id: string,
  draw: (pane: Pane, isNear: Nearness) => JSX.Element,
  away: (name: string) => JSX.Element,
): JSX.Element | null {
  const { panes } = useServer();
  const { near } = useBrowser();
  const areMany = panes.areMany.value;
  const isNear = useSignal(!areMany);
  const pane = usePane(id);
  const name = useMemo(() => computed(() => pane.value?.name ?? ""), [pane]);
  const drawn = useRef<JSX.Element | null>(null);
  useLayoutEffect(() => {
    const row = element.current;
    if (row === null) return;
    return near.watch(row, (isHere) => {
      // What has the focus stays, wherever the list is scrolled to.
      isNear.value = isHere || row.contains(document.activeElement);
    });
  }, []);
  if (areMany && !isNear.value) {
    drawn.current = null;
    return away(name.value);
  }
  if (isNear.value || drawn.current === null) {
    // A row whose pane is gone is about to go as well.
    if (pane.value !== null) drawn.current = draw(pane.value, isNear);
  }
  return drawn.current;
}
