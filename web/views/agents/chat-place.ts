import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useBrowser } from "../../state/client.ts";
import { holdPlace, isScrolledToEnd } from "../parts/scroll.tsx";

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
  const { near } = useBrowser();
  const [isDrawn, setDrawn] = useState(isAtEnd);
  useLayoutEffect(() => {
    const { current: block } = place;
    if (block === null) return;
    const onNear = (isNear: boolean) => {
      block.classList.toggle("far", !isNear);
      if (isNear) setDrawn(true);
    };
    return near.watch(block, onNear, scrollerOf(place));
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
