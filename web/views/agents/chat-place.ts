import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { firstVisibleIndex } from "../parts/scroll.tsx";

/** A finger rarely stops at the very end. */
const NEAR_PX = 24;
/** Messages are loaded, and drawn, before they are on the screen. */
const AHEAD = "1200px 0px 1200px 0px";

/** Whether the end of the chat is on the screen. Its `scrollTop` is 0 there, and negative above it. */
export function useChatEnd(chat: RefObject<HTMLElement | null>) {
  const [isThere, setThere] = useState(true);
  useLayoutEffect(() => {
    const scroller = scrollerOf(chat);
    if (scroller === null) return;
    const look = () => setThere(Math.abs(scroller.scrollTop) < NEAR_PX);
    // A message that the chat was opened around is in sight before the event of it comes.
    look();
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

const draws = new WeakMap<Element, () => void>();

/** Draws blocks that come near, one in each frame, from the middle of the screen on: all at once is a long task. */
const drawingObserver = (root: Element | null) =>
  new IntersectionObserver(
    (entries, observer) => {
      // The last entry of each block: on a busy page several come together.
      const all = [...new Map(entries.map((entry) => [entry.target, entry])).values()];
      const near = all.filter(({ isIntersecting }) => isIntersecting);
      near.sort((a, b) => fromMiddle(a) - fromMiddle(b));
      for (const { target, isIntersecting } of all) {
        if (isIntersecting && target !== near[0]?.target) {
          // Observed anew, the block is reported again with the next frame.
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

/** Distance of the middles of a block and of the screen, in half pixels. */
const fromMiddle = ({ boundingClientRect: box, rootBounds: root }: IntersectionObserverEntry) =>
  Math.abs(box.top + box.bottom - (root?.top ?? 0) - (root?.bottom ?? 0));

/** Whether a block is drawn: those at the end at once, others once they come near, and then for good. */
export function useNearBlock(
  place: RefObject<HTMLElement | null>,
  observer: RefObject<IntersectionObserver | null>,
  isAtEnd: boolean,
): boolean {
  const [isDrawn, setDrawn] = useState(isAtEnd);
  useLayoutEffect(() => {
    const block = place.current;
    if (block === null) return;
    observer.current ??= drawingObserver(scrollerOf(place));
    draws.set(block, () => setDrawn(true));
    observer.current.observe(block);
    return () => observer.current?.unobserve(block);
  }, []);
  return isDrawn;
}

/** Calls `reach` whenever the place comes near the screen while `key` is not null, once for each key. */
export function useOnReach(
  place: RefObject<HTMLElement | null>,
  key: string | null,
  reach: () => void,
): void {
  useEffect(() => {
    const element = place.current;
    if (element === null || key === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        // On a busy page several entries come together.
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

/** The first block in sight stays where it is, whatever comes and goes around it. */
export function useScrollAnchor(
  place: RefObject<HTMLElement | null>,
  drawn: unknown,
  isAtEnd: boolean,
): void {
  const before = useRef<unknown>(drawn);
  const anchor = useRef<ReturnType<typeof firstVisibleBlock>>(undefined);
  // During the drawing the page still has its old layout.
  if (before.current !== drawn) {
    before.current = drawn;
    anchor.current = isAtEnd ? undefined : firstVisibleBlock(place);
  }
  useLayoutEffect(() => {
    const scroller = scrollerOf(place);
    if (anchor.current === undefined || scroller === null) return;
    const { key, top } = anchor.current;
    anchor.current = undefined;
    const block = scroller.querySelector(`.message-block[data-at="${CSS.escape(key)}"]`);
    const moved = block === null ? 0 : block.getBoundingClientRect().top - top;
    // Below a pixel it is rounding by the browser, which another write would round once more.
    if (Math.abs(moved) >= 1) scroller.scrollTop += moved;
  }, [drawn]);
}

function firstVisibleBlock(place: RefObject<HTMLElement | null>) {
  const blocks = [...(place.current?.querySelectorAll<HTMLElement>(".message-block") ?? [])];
  const first = blocks[firstVisibleIndex(blocks, scrollerOf(place))];
  return first && { key: first.dataset["at"] ?? "", top: first.getBoundingClientRect().top };
}

const scrollerOf = (element: RefObject<HTMLElement | null>): Element | null =>
  element.current?.closest(".scroll") ?? null;
