import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { MessageBlock } from "../../model/chat/blocks.ts";

/** So near the end counts as at it: a finger leaves a few pixels. */
const NEAR_PX = 24;
/** Blocks that are drawn at once; they fill a screen. */
const FIRST_BLOCKS = 2;
/** Older messages are asked for before the person has reached the oldest. */
const AHEAD = "1200px 0px 0px 0px";

interface End {
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

/**
 * The blocks from the newest up to where drawing has come: one more with every frame, so that no frame
 * draws a page of messages. They are added above what is on the screen, which does not move for them.
 */
export function useGradual(blocks: readonly MessageBlock[]): readonly MessageBlock[] {
  const oldest = useRef<string | null>(null);
  const [, draw] = useState(0);
  const known = blocks.findIndex(({ key }) => key === oldest.current);
  const first = known >= 0 ? known : Math.max(0, blocks.length - FIRST_BLOCKS);
  oldest.current = blocks[first]?.key ?? null;
  const next = blocks[first - 1]?.key ?? null;
  useEffect(() => {
    if (next === null) return;
    const frame = requestAnimationFrame(() => {
      oldest.current = next;
      draw((count) => count + 1);
    });
    return () => cancelAnimationFrame(frame);
  }, [next]);
  return blocks.slice(first);
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
      ([entry]) => {
        if (entry?.isIntersecting !== true) return;
        observer.disconnect();
        reach();
      },
      { root: scrollerOf(place), rootMargin: AHEAD },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [key]);
}

const scrollerOf = (element: RefObject<HTMLElement | null>): Element | null =>
  element.current?.closest(".scroll") ?? null;
