import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { promptOf, signatureOf } from "../../model/guard.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser } from "../../state/client.ts";

/** Half a pixel of rounding is no movement. */
const MOVED_PX = 1.5;

interface Spot {
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

export interface Steady {
  /** Monotonic milliseconds when the card last changed or moved, measured anew. */
  readonly since: () => number;
}

/**
 * Watches one card: when its prompt last changed, and when it last moved for any other reason than
 * the reader's own scrolling.
 */
export function useSteady(card: RefObject<HTMLElement | null>, signature: string): Steady {
  const { clock, shield } = useBrowser();
  const changedAt = useRef(clock.monotonicMs());
  const spot = useRef<Spot | null>(null);
  const shown = useRef(signature);

  const measure = () => {
    const next = spotOf(card.current);
    const before = spot.current;
    spot.current = next;
    if (before === null || next === null) return;
    const hasMoved =
      Math.abs(before.x - next.x) > MOVED_PX ||
      Math.abs(before.y - next.y) > MOVED_PX ||
      Math.abs(before.height - next.height) > MOVED_PX;
    if (hasMoved) changedAt.current = clock.monotonicMs();
  };

  useLayoutEffect(() => {
    if (shown.current !== signature) changedAt.current = clock.monotonicMs();
    shown.current = signature;
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
      return Math.max(changedAt.current, shield.raisedAt);
    },
  };
}

/** The same for keys and texts, which go to whatever prompt is on the screen: since when it is this one. */
export const useSteadyPrompt = (pane: Pane): Steady => useSteadyTarget(promptOf(pane));

/** Since when what is written to is what `signature` says. */
export function useSteadyTarget(signature: string): Steady {
  const { clock, shield } = useBrowser();
  const shown = useRef(signature);
  const changedAt = useRef(0);
  useLayoutEffect(() => {
    if (shown.current !== signature) changedAt.current = clock.monotonicMs();
    shown.current = signature;
  }, [signature]);
  return { since: () => Math.max(changedAt.current, shield.raisedAt) };
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

/**
 * Whether the prompt has changed while the terminal beside it stood still, scrolled up or with a
 * selection: what it asks about is not on the screen then, and must be shown with it.
 */
export function useUnread(pane: Pane): boolean {
  const { terminal } = useBrowser();
  const signature = signatureOf(pane);
  const read = useRef(signature);
  if (terminal.isFollowing.value && !terminal.isPaused.value) read.current = signature;
  return read.current !== signature;
}
