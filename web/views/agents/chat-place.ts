import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useBrowser } from "../../state/client.ts";
import { holdPlace, isScrolledToEnd } from "../parts/scroll.tsx";

/** Messages are drawn before they are on the screen. */
const AHEAD = "1200px 0px 1200px 0px";

/** Whether the end of the chat is on the screen. */
export function useChatEnd(chat: RefObject<HTMLElement | null>) {
  const [isThere, setThere] = useState(true);
  useLayoutEffect(() => {
    const scroller = scrollerOf(chat);
    if (scroller === null) return;
    const look = () => setThere(isScrolledToEnd(scroller));
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

/** Calls `reach` whenever the place comes near the screen while `key` is not null, and anew for each key. */
export function useOnReach(
  place: RefObject<HTMLElement | null>,
  key: string | null,
  reach: () => void,
): void {
  const { near } = useBrowser();
  useEffect(() => {
    const { current: element } = place;
    if (element === null || key === null) return;
    return near.watch(element, (isNear) => isNear && reach(), scrollerOf(place));
  }, [key]);
}

/** The first block in sight stays where it is, whatever comes and goes around it. */
export function useScrollAnchor(
  place: RefObject<HTMLElement | null>,
  drawn: unknown,
  isAtEnd: boolean,
): void {
  const before = useRef<unknown>(drawn);
  const release = useRef<(() => void) | null>(null);
  // During the drawing the page still has its old layout.
  if (before.current !== drawn) {
    before.current = drawn;
    const blocks = [...(place.current?.querySelectorAll(".message-block") ?? [])];
    release.current = isAtEnd ? null : holdPlace(blocks, scrollerOf(place));
  }
  useLayoutEffect(() => {
    release.current?.();
    release.current = null;
  }, [drawn]);
}

const scrollerOf = (element: RefObject<HTMLElement | null>): Element | null =>
  element.current?.closest(".scroll") ?? null;
