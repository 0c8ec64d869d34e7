import { useRef } from "preact/hooks";

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
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * One deliberate press. `see` is taken when the finger comes down, `release` gets it when the finger
 * goes up on the same spot. Scrolling, a second finger and leaving the row cancel. A click without a
 * pointer (assistive technology) sees and releases at once.
 */
export function usePress<T>(options: {
  readonly see: () => T;
  readonly release: (seen: T) => void;
  readonly holds: boolean;
  readonly onHolding?: (isHolding: boolean) => void;
}): PressHandlers {
  const held = useRef<Held<T> | null>(null);
  const wasPointer = useRef(false);

  const cancel = () => {
    clearTimeout(held.current?.timer);
    held.current = null;
    options.onHolding?.(false);
  };
  const release = () => {
    const press = held.current;
    cancel();
    if (press !== null) options.release(press.seen);
  };

  return {
    onPointerDown: (event) => {
      wasPointer.current = true;
      if (held.current !== null || !event.isPrimary || event.button !== 0) return cancel();
      const press: Held<T> = {
        pointerId: event.pointerId,
        x: event.clientX,
        y: event.clientY,
        seen: options.see(),
        timer: undefined,
      };
      held.current = press;
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
      if (!isEcho) options.release(options.see());
    },
  };
}
