import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const LONG_PRESS_MS = 450;
const SLOP_PX = 10;
const SWIPE_PX = 64;

interface RowGestures {
  readonly onLongPress: () => void;
  /** Towards the end of the line, and towards its start. */
  readonly onSwipe: (direction: "end" | "start") => void;
}

/**
 * Long press and sideways swipe of a row. Neither answers anything, and neither is followed by the
 * click that would open the row. The row follows the finger by `--swipe` while it has `data-swiped`.
 */
export function useRowGestures(row: RefObject<HTMLElement | null>, gestures: RowGestures): void {
  // One gesture may draw the row again while the finger is still down.
  const latest = useRef(gestures);
  latest.current = gestures;
  // A row that is seen takes a finger: an effect that follows the frame may come after it.
  useLayoutEffect(() => {
    const element = row.current;
    if (element === null) return;
    let start: { readonly x: number; readonly y: number } | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let dx = 0;
    let isUsed = false;

    const show = (distance: number) => {
      dx = distance;
      const shown = Math.max(-SWIPE_PX, Math.min(SWIPE_PX, distance));
      element.style.setProperty("--swipe", `${shown}px`);
      element.toggleAttribute("data-swiped", shown !== 0);
    };
    const end = () => {
      clearTimeout(timer);
      if (start !== null && Math.abs(dx) >= SWIPE_PX) {
        const isRightToLeft = getComputedStyle(element).direction === "rtl";
        latest.current.onSwipe(dx > 0 === isRightToLeft ? "start" : "end");
      }
      start = null;
      show(0);
    };
    const cancel = () => {
      clearTimeout(timer);
      start = null;
      show(0);
    };
    const down = (event: PointerEvent) => {
      isUsed = false;
      clearTimeout(timer);
      if (!event.isPrimary || event.button !== 0) return cancel();
      start = { x: event.clientX, y: event.clientY };
      timer = setTimeout(() => {
        isUsed = true;
        start = null;
        latest.current.onLongPress();
      }, LONG_PRESS_MS);
    };
    const move = (event: PointerEvent) => {
      if (start === null) return;
      const [x, y] = [event.clientX - start.x, event.clientY - start.y];
      if (Math.hypot(x, y) <= SLOP_PX) return;
      clearTimeout(timer);
      if (event.pointerType === "mouse" || Math.abs(y) > Math.abs(x)) return cancel();
      isUsed = true;
      show(x);
    };
    const swallow = (event: Event) => {
      if (!isUsed) return;
      event.preventDefault();
      event.stopPropagation();
    };
    const ends = new AbortController();
    const { signal } = ends;
    element.addEventListener("pointerdown", down, { signal });
    element.addEventListener("pointermove", move, { signal });
    element.addEventListener("pointerup", end, { signal });
    for (const type of ["pointercancel", "pointerleave"])
      element.addEventListener(type, cancel, { signal });
    element.addEventListener("click", swallow, { signal, capture: true });
    element.addEventListener("contextmenu", swallow, { signal });
    return () => {
      clearTimeout(timer);
      ends.abort();
    };
  }, []);
}
