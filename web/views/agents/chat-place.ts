import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { holdPlace, isScrolledToEnd, useNear } from "../parts/scroll.tsx";

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

/** Whether a block is drawn: those at the end at once, others once they come near, and then for good. */
export function useNearBlock(place: RefObject<HTMLElement | null>, isAtEnd: boolean): boolean {
  const [isDrawn, setDrawn] = useState(isAtEnd);
  useNear(place, (isNear, block) => {
    block.classList.toggle("far", !isNear);
    if (isNear) setDrawn(true);
  });
  return isDrawn;
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
