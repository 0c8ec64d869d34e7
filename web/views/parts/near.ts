import type { JSX, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useClient } from "../../state/client.ts";

/**
 * What `draw` gives while the element is on the screen or near it; else what it gave last. A list of
 * a hundred busy panes then costs what the visible ones cost.
 */
export function useDrawnNear(
  element: RefObject<HTMLElement | null>,
  draw: () => JSX.Element,
): JSX.Element {
  const { near } = useClient();
  const [isNear, setNear] = useState(true);
  const drawn = useRef<JSX.Element | null>(null);
  useLayoutEffect(() => {
    if (element.current !== null) return near.watch(element.current, setNear);
  }, []);
  if (isNear || drawn.current === null) drawn.current = draw();
  return drawn.current;
}
