import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

const PULL_PX = 72;

/** Pull from the top of a list on touch: true while far enough to let go. */
export function usePull(area: RefObject<HTMLElement | null>, onPull: () => void): boolean {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    let startY: number | null = null;
    let ready = false;
    const set = (next: boolean) => {
      if (next !== ready) setReady(next);
      ready = next;
    };
    const start = (event: TouchEvent) => {
      const isOne = event.touches.length === 1;
      startY = isOne && element.scrollTop <= 0 ? (event.touches[0]?.clientY ?? null) : null;
    };
    const move = (event: TouchEvent) => {
      if (startY === null) return;
      const y = event.touches[0]?.clientY ?? startY;
      if (element.scrollTop > 0) startY = null;
      set(startY !== null && y - startY > PULL_PX);
    };
    const end = () => {
      if (ready) onPull();
      startY = null;
      set(false);
    };
    element.addEventListener("touchstart", start, { passive: true });
    element.addEventListener("touchmove", move, { passive: true });
    element.addEventListener("touchend", end);
    element.addEventListener("touchcancel", end);
    return () => {
      element.removeEventListener("touchstart", start);
      element.removeEventListener("touchmove", move);
      element.removeEventListener("touchend", end);
      element.removeEventListener("touchcancel", end);
    };
  }, []);
  return isReady;
}
