import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { useBrowser } from "../../state/client.ts";
import { TERMINAL_SIZES } from "../../state/browser/preferences.ts";

/** Two fingers on the terminal change the size of its text, in whole pixels. */
export function usePinch(area: RefObject<HTMLElement | null>): void {
  const { preferences } = useBrowser();
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    let start: { readonly distance: number; readonly size: number } | null = null;
    const onStart = (event: TouchEvent) => {
      const distance = spread(event.touches);
      start =
        distance === null ? null : { distance, size: preferences.current.peek().terminalSize };
    };
    const onMove = (event: TouchEvent) => {
      const distance = spread(event.touches);
      if (start === null || distance === null) return;
      event.preventDefault();
      const wanted = Math.round((start.size * distance) / start.distance);
      const size = Math.min(TERMINAL_SIZES.max, Math.max(TERMINAL_SIZES.min, wanted));
      if (size !== preferences.current.peek().terminalSize) preferences.set({ terminalSize: size });
    };
    const onEnd = () => {
      start = null;
    };
    element.addEventListener("touchstart", onStart, { passive: true });
    element.addEventListener("touchmove", onMove, { passive: false });
    element.addEventListener("touchend", onEnd);
    return () => {
      element.removeEventListener("touchstart", onStart);
      element.removeEventListener("touchmove", onMove);
      element.removeEventListener("touchend", onEnd);
    };
  }, []);
}

function spread(touches: TouchList): number | null {
  const [one, other] = [touches[0], touches[1]];
  if (one === undefined || other === undefined) return null;
  return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
}
