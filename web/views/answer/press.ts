import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { promptOf } from "../../model/guard.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser } from "../../state/client.ts";

const SLOP_PX = 12;
export const HOLD_MS = 500;

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
 * One deliberate press, as handlers for its element. `see` is taken when the finger comes down, `release` gets it, with that
 * moment, when the finger goes up on the same spot. Scrolling, also when the finger stops it, a second
 * finger anywhere and leaving the row cancel. A click without a pointer (assistive technology) sees and
 * releases at once. With `onHolding` the finger stays down for `HOLD_MS` instead.
 */
export function usePress<T>(
  see: () => T,
  release: (seen: T, pressedAt: number) => void,
  onHolding?: ((isHolding: boolean) => void) | undefined,
) {
  const { touch } = useBrowser();
  const held = useRef<Held<T> | null>(null);
  const wasPointer = useRef(false);

  const cancel = () => {
    if (held.current === null) return;
    clearTimeout(held.current.timer);
    held.current.watch.abort();
    held.current = null;
    onHolding?.(false);
  };
  const end = () => {
    const press = held.current;
    cancel();
    if (press === null) return;
    if (press.element !== null) touch.acted(press.element);
    release(press.seen, press.at);
  };
  useEffect(() => cancel, []);

  return {
    onPointerDown: (event: PointerEvent) => {
      wasPointer.current = true;
      if (held.current !== null || !event.isPrimary || event.button !== 0) return cancel();
      if (event.currentTarget instanceof Element && touch.isScrolling(event.currentTarget)) return;
      const press: Held<T> = {
        pointerId: event.pointerId,
        x: event.clientX,
        y: event.clientY,
        seen: see(),
        element: event.currentTarget instanceof Element ? event.currentTarget : null,
        at: performance.now(),
        watch: new AbortController(),
        timer: undefined,
      };
      held.current = press;
      cancelElsewhere(event, press.watch.signal, cancel);
      if (onHolding === undefined) return;
      onHolding(true);
      press.timer = setTimeout(end, HOLD_MS);
    },
    onPointerMove: (event: PointerEvent) => {
      const press = held.current;
      if (press === null) return;
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) > SLOP_PX) cancel();
    },
    onPointerUp: (event: PointerEvent) => {
      if (held.current?.pointerId !== event.pointerId) return;
      if (onHolding === undefined) end();
      else cancel();
    },
    onPointerCancel: cancel,
    onPointerLeave: cancel,
    onClick: (event: MouseEvent) => {
      const isEcho = wasPointer.current && event.detail > 0;
      wasPointer.current = false;
      if (!isEcho) release(see(), performance.now());
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

/** Half a pixel of rounding is no movement. */
const MOVED_PX = 1.5;

interface Spot {
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

export interface Steady {
  /** Monotonic milliseconds when it last changed, or moved, measured anew. */
  readonly since: () => number;
}

/** Since when what is written to is what `signature` says. */
export function useSteadyTarget(signature: string): Steady {
  const { touch } = useBrowser();
  const shown = useRef(signature);
  const changedAt = useRef(0);
  useLayoutEffect(() => {
    if (shown.current !== signature) changedAt.current = performance.now();
    shown.current = signature;
  }, [signature]);
  return { since: () => Math.max(changedAt.current, touch.shieldedAt) };
}

/** The same for keys and texts, which go to whatever prompt is on the screen. */
export const useSteadyPrompt = (pane: Pane): Steady => useSteadyTarget(promptOf(pane));

/** The same for a card, which is not to move either, but for the reader's own scrolling. */
export function useSteady(card: RefObject<HTMLElement | null>, signature: string): Steady {
  const target = useSteadyTarget(signature);
  const movedAt = useRef(performance.now());
  const spot = useRef<Spot | null>(null);

  const measure = () => {
    const next = spotOf(card.current);
    const before = spot.current;
    spot.current = next;
    if (before === null || next === null) return;
    const hasMoved =
      Math.abs(before.x - next.x) > MOVED_PX ||
      Math.abs(before.y - next.y) > MOVED_PX ||
      Math.abs(before.height - next.height) > MOVED_PX;
    if (hasMoved) movedAt.current = performance.now();
  };

  useLayoutEffect(() => {
    // Where it stands at first is read once it is laid out, by the observer below.
    if (spot.current !== null) measure();
  });
  useEffect(() => {
    const element = card.current;
    if (element === null) return;
    const observer = new ResizeObserver(measure);
    // What stands before it and what holds it: where one of them grows or shrinks, it moves. A move
    // that nobody saw would count from the press, and refuse a card that has long stood still.
    for (const observed of [
      element,
      element.previousElementSibling,
      element.parentElement,
      scrollerOf(element),
    ])
      if (observed !== null) observer.observe(observed);
    return () => observer.disconnect();
  }, []);

  return {
    since: () => {
      measure();
      return Math.max(target.since(), movedAt.current);
    },
  };
}

function spotOf(element: HTMLElement | null): Spot | null {
  if (element === null) return null;
  const box = element.getBoundingClientRect();
  const scrolled = scrollerOf(element)?.scrollTop ?? 0;
  // The reader's own reply may grow under their own hands.
  const field = element.querySelector("textarea")?.offsetHeight ?? 0;
  return { x: box.left, y: box.top + scrolled, height: box.height - field };
}

const scrollerOf = (element: HTMLElement): HTMLElement | null => element.closest(".scroll");
