import { useEffect, useRef } from "preact/hooks";
import { useBrowser } from "../../state/client.ts";

const SLOP_PX = 12;
export const HOLD_MS = 500;

export interface PressHandlers {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: (event: PointerEvent) => void;
  readonly onPointerCancel: () => void;
  readonly onPointerLeave: () => void;
  readonly onClick: (event: MouseEvent) => void;
}

interface Held<T> {
  readonly pointerId: number;
  readonly x: number;
  readonly y: number;
  readonly seen: T;
  readonly element: Element | null;
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly watch: AbortController;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * One deliberate press. `see` is taken when the finger comes down, `release` gets it, with that
 * moment, when the finger goes up on the same spot. Scrolling, also when the finger stops it, a second
 * finger anywhere and leaving the row cancel. A click without a pointer (assistive technology) sees and releases at once.
 */
export function usePress<T>(options: {
  readonly see: () => T;
  readonly release: (seen: T, pressedAt: number) => void;
  readonly holds: boolean;
  readonly onHolding?: (isHolding: boolean) => void;
}): PressHandlers {
  const { touch } = useBrowser();
  const held = useRef<Held<T> | null>(null);
  const wasPointer = useRef(false);

  const cancel = () => {
    if (held.current === null) return;
    clearTimeout(held.current.timer);
    held.current.watch.abort();
    held.current = null;
    options.onHolding?.(false);
  };
  const release = () => {
    const press = held.current;
    cancel();
    if (press === null) return;
    if (press.element !== null) touch.acted(press.element);
    options.release(press.seen, press.at);
  };
  useEffect(() => cancel, []);

  return {
    onPointerDown: (event) => {
      wasPointer.current = true;
      if (held.current !== null || !event.isPrimary || event.button !== 0) return cancel();
      if (event.currentTarget instanceof Element && touch.isScrolling(event.currentTarget)) return;
      const press: Held<T> = {
        pointerId: event.pointerId,
        x: event.clientX,
        y: event.clientY,
        seen: options.see(),
        element: event.currentTarget instanceof Element ? event.currentTarget : null,
        at: performance.now(),
        watch: new AbortController(),
        timer: undefined,
      };
      held.current = press;
      cancelElsewhere(event, press.watch.signal, cancel);
      if (!options.holds) return;
      options.onHolding?.(true);
      press.timer = setTimeout(release, HOLD_MS);
    },
    onPointerMove: (event) => {
      const press = held.current;
      if (press === null) return;
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) > SLOP_PX) cancel();
    },
    onPointerUp: (event) => {
      if (held.current?.pointerId !== event.pointerId) return;
      if (options.holds) cancel();
      else release();
    },
    onPointerCancel: cancel,
    onPointerLeave: cancel,
    onClick: (event) => {
      const isEcho = wasPointer.current && event.detail > 0;
      wasPointer.current = false;
      if (!isEcho) options.release(options.see(), performance.now());
    },
  };
}

/** Another finger may come down anywhere, and what scrolls is an element around the pressed one. */
function cancelElsewhere(event: PointerEvent, signal: AbortSignal, cancel: () => void): void {
  const { currentTarget, pointerId } = event;
  const how = { capture: true, passive: true, signal };
  const onPointer = (other: PointerEvent) => {
    if (other.pointerId !== pointerId) cancel();
  };
  const onScroll = (scroll: Event) => {
    const { target } = scroll;
    if (target instanceof Node && currentTarget instanceof Node && target.contains(currentTarget))
      cancel();
  };
  document.addEventListener("pointerdown", onPointer, how);
  document.addEventListener("scroll", onScroll, how);
}
