import type { JSX, RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useBrowser, useServer } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";

const PULL_PX = 72;

/** Pulling the queue down from its top orders it again, and asks the server; said while far enough to let go. */
export function Pull(props: { readonly area: RefObject<HTMLElement | null> }): JSX.Element | null {
  const { link, queue } = useServer();
  const { shield } = useBrowser();
  const isPulled = usePull(props.area, () => {
    shield.raise();
    queue.enter();
    void link.refresh();
  });
  if (!isPulled) return null;
  return (
    <p class="pulled flex middle gap-6 fs-13 text-2 ground" aria-hidden="true">
      <Icon name="refresh" class="small" />
      Let go to order again
    </p>
  );
}

/** Pull from the top of a list on touch: true while far enough to let go. */
function usePull(area: RefObject<HTMLElement | null>, onPull: () => void): boolean {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const ends = new AbortController();
    const how = { passive: true, signal: ends.signal };
    let startY: number | null = null;
    let ready = false;
    const set = (next: boolean) => {
      if (next !== ready) setReady(next);
      ready = next;
    };
    const end = () => {
      if (ready) onPull();
      startY = null;
      set(false);
    };
    const listen = (name: "touchstart" | "touchmove", hear: (y: number | null) => void) =>
      element.addEventListener(
        name,
        ({ touches }) => hear(touches.length === 1 ? (touches[0]?.clientY ?? null) : null),
        how,
      );
    listen("touchstart", (y) => (startY = element.scrollTop <= 0 ? y : null));
    listen("touchmove", (y) => {
      if (startY === null) return;
      if (element.scrollTop > 0) startY = null;
      set(startY !== null && (y ?? startY) - startY > PULL_PX);
    });
    element.addEventListener("touchend", end, how);
    element.addEventListener("touchcancel", end, how);
    return () => ends.abort();
  }, []);
  return isReady;
}
