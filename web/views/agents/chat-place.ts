import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Near } from "../../state/browser/layout.ts";

/** So near the end counts as at it: a finger leaves a few pixels. */
const NEAR_PX = 24;
/** Messages are asked for, and drawn, before the person has reached them. */
const AHEAD = "1200px 0px 1200px 0px";

export interface End {
  readonly isThere: boolean;
  readonly go: () => void;
}

/** Whether the end of the chat is on the screen. What scrolls it counts from its end, upwards. */
export function useEnd(chat: RefObject<HTMLElement | null>): End {
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

/** Whether a block of messages is drawn: those at the end at once, others when they come near, and then for good. */
export function useNearBlock(
  place: RefObject<HTMLElement | null>,
  near: RefObject<Near | null>,
  isAtEnd: boolean,
): boolean {
  const [isDrawn, setDrawn] = useState(isAtEnd);
  useLayoutEffect(() => {
    if (isDrawn || place.current === null) return;
    near.current ??= new Near(scrollerOf(place), AHEAD);
    return near.current.watch(place.current, (isNear) => isNear && setDrawn(true));
  }, [isDrawn]);
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
  const held = useRef<{ readonly key: string; readonly top: number } | null>(null);
  // While it is drawn anew the page still stands as it was.
  if (before.current !== drawn) {
    before.current = drawn;
    held.current = isAtEnd ? null : firstSeen(place);
  }
  useLayoutEffect(() => {
    const scroller = scrollerOf(place);
    if (held.current === null || scroller === null) return;
    const { key, top } = held.current;
    held.current = null;
    const block = scroller.querySelector(`.message-block[data-at="${CSS.escape(key)}"]`);
    const moved = block === null ? 0 : block.getBoundingClientRect().top - top;
    // A part of a pixel is what the browser rounds; to set it again would round once more.
    if (Math.abs(moved) >= 1) scroller.scrollTop += moved;
  }, [drawn]);
}

function firstSeen(place: RefObject<HTMLElement | null>) {
  const top = scrollerOf(place)?.getBoundingClientRect().top ?? 0;
  for (const block of place.current?.querySelectorAll<HTMLElement>(".message-block") ?? []) {
    const box = block.getBoundingClientRect();
    if (box.bottom > top) return { key: block.dataset["at"] ?? "", top: box.top };
  }
  return null;
}

const scrollerOf = (element: RefObject<HTMLElement | null>): Element | null =>
  element.current?.closest(".scroll") ?? null;
