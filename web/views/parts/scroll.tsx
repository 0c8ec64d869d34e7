import type { ComponentChildren, JSX, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ScrollPosition, Router } from "../../state/browser/router.ts";
import { useBrowser } from "../../state/client.ts";
import { autoFocused } from "../../ui/focus.ts";

/** Rows of any list; each attribute holds a key that stays the same. */
const ROWS = "[data-card], [data-row], [data-line], [data-at]";
/** A scroll has ended after so long without an event. */
const REST_MS = 300;
/** How long the position waits for its row, which comes with an answer of the server. */
const WAIT_MS = 8000;
/** How long it is corrected after that, while rows above may still grow. */
const SETTLE_MS = 1000;
/** Keys that are remembered, in case the first row is gone by then. */
const MAX_KEYS = 40;

/** A scrolling area that keeps its position under the name `list`. */
export function Scroll(props: {
  /** Null where the address decides the position. */
  readonly list: string | null;
  readonly isMain?: boolean;
  readonly class?: string;
  /** A tab stop, for areas that may hold nothing focusable. */
  readonly isReached?: boolean;
  /** Makes it a region of that name. */
  readonly label?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  useScrollRestoration(scroller, props.list);
  const Part = props.label === undefined ? "div" : "section";
  const Element = props.isMain === true ? "main" : Part;
  return (
    <Element
      ref={scroller}
      class={`scroll ${props.class ?? ""}`}
      id={props.isMain === true ? "content" : undefined}
      tabIndex={props.isReached === true ? 0 : undefined}
      aria-label={props.label}
    >
      {props.children}
    </Element>
  );
}

/**
 * Restores the position of a list after Back, after a reload and in another layout. It is kept in the
 * entry of the history, by the keys of rows, since cards fold and rows come and go.
 */
export function useScrollRestoration(
  scroller: RefObject<HTMLElement | null>,
  list: string | null,
): void {
  const { router } = useBrowser();
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || list === null) return;
    const savedPosition = router.savedPosition(list);
    let isRestoring = savedPosition !== null;
    const listeners = new AbortController();
    const keep = () => {
      if (!isRestoring) router.savePosition(list, positionIn(element));
    };
    const stopKeeping = afterScroll(element, router, keep);
    const finish = () => {
      isRestoring = false;
      mutations.disconnect();
      sizes.disconnect();
      clearTimeout(timeout);
    };
    let timeout = setTimeout(finish, WAIT_MS);
    let hasRow = false;
    const restore = () => {
      if (savedPosition === null) return;
      const rows = rowsOf(element);
      const key = savedPosition.keys.find((each) => rows.has(each));
      const row = rows.get(key ?? "");
      if (row === undefined) return;
      element.scrollTop += topIn(element, row) - savedPosition.offset;
      // Rows below may still be loading, and the list too short to be scrolled so far. So may the row
      // itself, while one of its successors is there.
      const isAtPosition = Math.abs(topIn(element, row) - savedPosition.offset) <= 1;
      if (hasRow || !isAtPosition || key !== savedPosition.keys[0]) return;
      hasRow = true;
      clearTimeout(timeout);
      timeout = setTimeout(finish, SETTLE_MS);
    };
    const onGrowth = () => {
      // Rows near the screen are drawn then, and may be higher than estimated.
      for (const child of element.children) sizes.observe(child);
      restore();
    };
    const sizes = new ResizeObserver(restore);
    const mutations = new MutationObserver(onGrowth);
    if (savedPosition === null) finish();
    else {
      mutations.observe(element, { childList: true, subtree: true });
      onGrowth();
    }
    const { signal } = listeners;
    // Back may follow at once, and tells of itself when another entry is there already.
    element.addEventListener("scrollend", keep, { signal });
    // A person who touches the list, or moves in it by keys, has chosen the position.
    const onMove = ({ type, target }: Event) => {
      if (type !== "focusin" || target !== autoFocused) finish();
    };
    for (const name of ["wheel", "pointerdown", "keydown", "focusin"])
      element.addEventListener(name, onMove, { signal, passive: true });
    return () => {
      listeners.abort();
      finish();
      stopKeeping();
    };
  }, [list]);
}

/** Calls `look` when the element comes within one screen of its scroller or goes, and anew for each `key`. */
export function useNear(
  place: RefObject<HTMLElement | null>,
  look: (isNear: boolean, element: HTMLElement) => void,
  key?: unknown,
): void {
  const { near } = useBrowser();
  useLayoutEffect(() => {
    const { current: here } = place;
    if (here === null) return;
    return near.watch(here, (isNear) => look(isNear, here), here.closest(".scroll"));
  }, [key]);
}

/** Calls `keep` after each scroll, and before the page or the entry of the history is left. @returns stops that */
export function afterScroll(scroller: HTMLElement, router: Router, keep: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new AbortController();
  const { signal } = listeners;
  const onScroll = () => {
    clearTimeout(timer);
    timer = setTimeout(keep, REST_MS);
  };
  scroller.addEventListener("scroll", onScroll, { signal, passive: true });
  window.addEventListener("pagehide", keep, { signal });
  router.leaving.add(keep);
  return () => {
    listeners.abort();
    clearTimeout(timer);
    router.leaving.delete(keep);
  };
}

/** By binary search: measuring a row that is not drawn forces a layout. */
export function firstVisibleIndex(rows: readonly Element[], scroller: Element | null): number {
  const top = scroller?.getBoundingClientRect().top ?? 0;
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    // Less than a pixel of a row cannot be read.
    if ((rows[middle]?.getBoundingClientRect().bottom ?? 0) > top + 1) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** A finger rarely stops at the very end. */
const AT_END_PX = 24;

/** Of a list that scrolls from its end: its `scrollTop` is 0 there, and negative above it. */
export const isScrolledToEnd = (scroller: Element | null): boolean =>
  Math.abs(scroller?.scrollTop ?? 0) < AT_END_PX;

/** Returns what puts the first visible row back in its place, whatever has come and gone around it. */
export function holdPlace(rows: readonly Element[], scroller: Element | null): () => void {
  const row = rows[firstVisibleIndex(rows, scroller)];
  const top = row?.getBoundingClientRect().top ?? 0;
  return () => {
    if (row?.isConnected !== true || scroller === null) return;
    const moved = row.getBoundingClientRect().top - top;
    // Below a pixel it is rounding by the browser, which another write would round once more.
    if (Math.abs(moved) >= 1) scroller.scrollTop += moved;
  };
}

/** Pixels from the upper edge of the list to the row. */
const topIn = (scroller: HTMLElement, row: Element): number =>
  Math.round(row.getBoundingClientRect().top - scroller.getBoundingClientRect().top);

/** Null at the top. */
function positionIn(scroller: HTMLElement): ScrollPosition | null {
  if (scroller.scrollTop === 0) return null;
  const rows = [...rowsOf(scroller)];
  // A row that the browser has skipped is far from the screen, and measuring it would lay it out.
  const isLaidOut = (row: HTMLElement) => row.checkVisibility({ contentVisibilityAuto: true });
  const first = rows.findIndex(([, row]) => isLaidOut(row) && topIn(scroller, row) >= 0);
  // Where one row fills the screen, take that row.
  const isBelow =
    first < 0 || topIn(scroller, rows[first]?.[1] ?? scroller) >= scroller.clientHeight;
  const at = first < 0 ? rows.length - 1 : first - (isBelow ? 1 : 0);
  const row = rows[at]?.[1];
  if (row === undefined) return null;
  const keys = rows.slice(at, at + MAX_KEYS).map(([key]) => key);
  return { keys, offset: topIn(scroller, row) };
}

/** By their keys; of nested rows with one key the outer one. */
function rowsOf(scroller: HTMLElement): ReadonlyMap<string, HTMLElement> {
  const rows = new Map<string, HTMLElement>();
  for (const row of scroller.querySelectorAll<HTMLElement>(ROWS)) {
    const { card, row: link, line, at } = row.dataset;
    const key = card ?? link ?? line ?? at ?? "";
    if (!rows.has(key)) rows.set(key, row);
  }
  return rows;
}
