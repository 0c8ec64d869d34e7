import type { JSX, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useClient } from "../../state/client.ts";

/**
 * What `draw` gives while the element is on the screen or near it; else what it gave last, or where
 * there are many, `away`. A list of a hundred busy panes then costs what the visible ones cost.
 */
export function useDrawnNear(
  element: RefObject<HTMLElement | null>,
  draw: () => JSX.Element,
  away: () => JSX.Element,
): JSX.Element {
  const { near, panes } = useClient();
  const areMany = panes.areMany.value;
  const [isNear, setNear] = useState(!areMany);
  const drawn = useRef<JSX.Element | null>(null);
  useLayoutEffect(() => {
    const row = element.current;
    // What has the focus stays, wherever the list is scrolled to.
    if (row !== null)
      return near.watch(row, (isHere) => setNear(isHere || row.contains(document.activeElement)));
  }, []);
  if (areMany && !isNear) {
    drawn.current = null;
    return away();
  }
  if (isNear || drawn.current === null) drawn.current = draw();
  return drawn.current;
}
