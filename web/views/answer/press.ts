import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { promptOf } from "../../model/guard.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser } from "../../state/client.ts";

const SLOP_PX = 12;
const HOLD_MS = 500;

interface Press<T> {
  readonly down: PointerEvent;
  readonly seen: T;
  readonly element: Element | null;
  /** Monotonic milliseconds. */
  readonly at: number;
  /** Aborted when the press is over. */
  readonly ends: AbortController;
}

/**
 * Handlers for one deliberate press. `see` is called when the finger comes down, and `release` gets its
 * value, and that moment, when the finger goes up on the same spot. Scrolling, also when the finger stops
 * it, a second finger anywhere and leaving the element cancel. A click without a pointer (assistive
 * technology) sees and releases at once. With `onHolding` the finger stays down for `HOLD_MS` instead.
 */
export function usePress<T>(
  see: () => T,
  release: (seen: T, pressedAt: number) => void,
  onHolding?: ((isHolding: boolean) => void) | undefined,
) {
  const { touch } = useBrowser();
  const ongoing = useRef<Press<T> | null>(null);
  const wasPointer = useRef(false);

  const cancel = () => {
    if (ongoing.current === null) return;
    ongoing.current.ends.abort();
    ongoing.current = null;
    onHolding?.(false);
  };
  const end = () => {
    const press = ongoing.current;
    cancel();
    if (press === null) return;
    if (press.element !== null) touch.acted(press.element);
    release(press.seen, press.at);
  };
  useEffect(() => cancel, []);

  return {
    onPointerDown: (event: PointerEvent) => {
      wasPointer.current = true;
      if (ongoing.current !== null || !event.isPrimary || event.button !== 0) return cancel();
      const element = event.currentTarget instanceof Element ? event.currentTarget : null;
      if (element !== null && touch.isScrolling(element)) return;
      const ends = new AbortController();
      ongoing.current = { down: event, seen: see(), element, at: performance.now(), ends };
      cancelElsewhere(event, ends.signal, cancel);
      if (onHolding === undefined) return;
      onHolding(true);
      const timer = setTimeout(end, HOLD_MS);
      ends.signal.addEventListener("abort", () => clearTimeout(timer));
    },
    onPointerMove: (event: PointerEvent) => {
      if (ongoing.current === null) return;
      const { clientX, clientY } = ongoing.current.down;
      if (Math.hypot(event.clientX - clientX, event.clientY - clientY) > SLOP_PX) cancel();
    },
    onPointerUp: (event: PointerEvent) => {
      if (ongoing.current?.down.pointerId !== event.pointerId) return;
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

/** A second finger can come down anywhere, and the element that scrolls is one around the pressed one. */
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

/** Returns since when the target of a press has been what `signature` says, in monotonic milliseconds. */
export function useSteadyTarget(signature: string): () => number {
  const { touch } = useBrowser();
  const changedAt = useRef(0);
  const before = useRef(signature);
  useLayoutEffect(() => {
    if (before.current !== signature) changedAt.current = performance.now();
    before.current = signature;
  }, [signature]);
  return () => Math.max(changedAt.current, touch.shieldedAt);
}

/** The same for keys and texts, which go to whatever prompt is on the screen. */
export const useSteadyPrompt = (pane: Pane): (() => number) => useSteadyTarget(promptOf(pane));

/** The same for a card, which must not move either; that the reader scrolls it is no move. */
export function useSteady(card: RefObject<HTMLElement | null>, signature: string): () => number {
  const targetSince = useSteadyTarget(signature);
  const movedAt = useRef(performance.now());
  const spot = useRef<readonly number[] | null>(null);

  const measure = () => {
    const next = spotOf(card.current);
    const before = spot.current;
    spot.current = next;
    if (before === null || next === null) return;
    const hasMoved = next.some((value, i) => Math.abs(value - (before[i] ?? value)) > MOVED_PX);
    if (hasMoved) movedAt.current = performance.now();
  };

  useLayoutEffect(() => {
    // Its first place is measured by the observer below, once it is laid out.
    if (spot.current !== null) measure();
  });
  useEffect(() => {
    const element = card.current;
    if (element === null) return;
    const observer = new ResizeObserver(measure);
    // The card moves where an element before it or around it changes its size. Unobserved, such a move
    // would be noticed at the press alone, which would then be refused however long the card stood still.
    for (const observed of [
      element,
      element.previousElementSibling,
      element.parentElement,
      scrollerOf(element),
    ])
      if (observed !== null) observer.observe(observed);
    return () => observer.disconnect();
  }, []);

  return () => {
    measure();
    return Math.max(targetSince(), movedAt.current);
  };
}

/** Left, top within what scrolls, and height, in pixels. */
function spotOf(element: HTMLElement | null): readonly number[] | null {
  if (element === null) return null;
  const box = element.getBoundingClientRect();
  const scrolled = scrollerOf(element)?.scrollTop ?? 0;
  // The field for a reply grows while it is written in.
  const field = element.querySelector("textarea")?.offsetHeight ?? 0;
  return [box.left, box.top + scrolled, box.height - field];
}

const scrollerOf = (element: HTMLElement): HTMLElement | null => element.closest(".scroll");
