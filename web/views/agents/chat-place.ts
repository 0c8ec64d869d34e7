import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { firstVisibleIndex } from "../parts/scroll.tsx";

/** So near the end counts as at it: a finger leaves a few pixels. */
const NEAR_PX = 24;
/** Messages are asked for, and drawn, before the person has reached them. */
const AHEAD = "1200px 0px 1200px 0px";

/** Whether the end of the chat is on the screen. What scrolls it counts from its end, upwards. */
export function useEnd(chat: RefObject<HTMLElement | null>) {
  const [isThere, setThere] = useState(true);
  useEffect(() => {
    const scroller = scrollerOf(chat);
    if (scroller === null) return;
    const look = () => setThere(Math.abs(scroller.scrollTop) < NEAR_PX);
    scroller.addEventListener("scroll", look, { passive: true });
    return () => scroller.removeEventListener("scroll", look);
  }, []);
  return {
    isThere,
    go: () => {
      scrollerOf(chat)?.scrollTo({ top: 0 });
      setThere(true);
    },
  };
}

/** What draws a block. */
const draws = new WeakMap<Element, () => void>();

/**
 * Lets in blocks that come near, one in each frame, the nearest to the middle of the screen first: all at once
 * would be a long task.
 */
const drawingOf = (root: Element | null) =>
  new IntersectionObserver(
    (entries, observer) => {
      // What became of each last: on a busy page several changes come together.
      const all = [...new Map(entries.map((entry) => [entry.target, entry])).values()];
      const near = all.filter(({ isIntersecting }) => isIntersecting);
      near.sort((a, b) => fromMiddle(a) - fromMiddle(b));
      for (const { target, isIntersecting } of all) {
        if (isIntersecting && target !== near[0]?.target) {
          // It is told of anew with the next frame.
          observer.unobserve(target);
          observer.observe(target);
          continue;
        }
        target.classList.toggle("far", !isIntersecting);
        if (isIntersecting) draws.get(target)?.();
      }
    },
    { root, rootMargin: AHEAD },
  );

/** Between the middles of a block and of the screen, in half pixels. */
const fromMiddle = ({ boundingClientRect: box, rootBounds: root }: IntersectionObserverEntry) =>
  Math.abs(box.top + box.bottom - (root?.top ?? 0) - (root?.bottom ?? 0));

/** Whether a block of messages is drawn: those at the end at once, others when they come near, and then for good. */
export function useNearBlock(
  place: RefObject<HTMLElement | null>,
  observer: RefObject<IntersectionObserver | null>,
  isAtEnd: boolean,
): boolean {
  const [isDrawn, setDrawn] = useState(isAtEnd);
  useLayoutEffect(() => {
    const block = place.current;
    if (block === null) return;
    observer.current ??= drawingOf(scrollerOf(place));
    draws.set(block, () => setDrawn(true));
    observer.current.observe(block);
    return () => observer.current?.unobserve(block);
  }, []);
  return isDrawn;
}

/** Calls `reach` whenever the place comes near the screen while `key` is not null, once for each key. */
export function useReached(
  place: RefObject<HTMLElement | null>,
  key: string | null,
  reach: () => void,
): void {
  useEffect(() => {
    const element = place.current;
    if (element === null || key === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        // What became of it last: on a busy page several changes come together.
        if (entries.at(-1)?.isIntersecting !== true) return;
        observer.disconnect();
        reach();
      },
      { root: scrollerOf(place), rootMargin: AHEAD },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [key]);
}

/** What is read stays where it is, whatever comes and goes above and below it. */
export function useHeldPlace(
  place: RefObject<HTMLElement | null>,
  drawn: unknown,
  isAtEnd: boolean,
): void {
  const before = useRef<unknown>(drawn);
  const held = useRef<ReturnType<typeof seenBlock>>(undefined);
  // While it is drawn anew the page still stands as it was.
  if (before.current !== drawn) {
    before.current = drawn;
    held.current = isAtEnd ? undefined : seenBlock(place);
  }
  useLayoutEffect(() => {
    const scroller = scrollerOf(place);
    if (held.current === undefined || scroller === null) return;
    const { key, top } = held.current;
    held.current = undefined;
    const block = scroller.querySelector(`.message-block[data-at="${CSS.escape(key)}"]`);
    const moved = block === null ? 0 : block.getBoundingClientRect().top - top;
    // A part of a pixel is what the browser rounds; to set it again would round once more.
    if (Math.abs(moved) >= 1) scroller.scrollTop += moved;
  }, [drawn]);
}

function seenBlock(place: RefObject<HTMLElement | null>) {
  const blocks = [...(place.current?.querySelectorAll<HTMLElement>(".message-block") ?? [])];
  const first = blocks[firstVisibleIndex(blocks, scrollerOf(place))];
  return first && { key: first.dataset["at"] ?? "", top: first.getBoundingClientRect().top };
}

const scrollerOf = (element: RefObject<HTMLElement | null>): Element | null =>
  element.current?.closest(".scroll") ?? null;
