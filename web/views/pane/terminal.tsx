import type { Signal } from "@preact/signals";
import type { JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Pane } from "../../model/pane.ts";
import { TERMINAL_SIZES } from "../../state/browser/preferences.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Icon } from "../../ui/button.tsx";
import { count } from "../../words/common.ts";
import { type ScrollPosition, SCREEN } from "../../state/browser/router.ts";
import { afterScroll, firstVisibleIndex, holdPlace, isScrolledToEnd } from "../parts/scroll.tsx";
import { Find } from "./find.tsx";
import { ScreenView, type ScreenLine } from "./screen.ts";

/** Lines by which a place is found again, since one alone may stand there several times. */
const PLACE_LINES = 8;
const NO_RUNS: ScreenLine["runs"] = [];

type Area = RefObject<HTMLElement | null>;

/**
 * The captured text of a pane. It scrolls from its end, which the browser keeps in sight, until the reader
 * scrolls up, or only when asked to.
 */
export function Terminal({ pane }: { readonly pane: Pane }): JSX.Element {
  const { panes } = useServer();
  const { preferences, router, terminal } = useBrowser();
  const area = useRef<HTMLElement>(null);
  const rows = useRef<HTMLPreElement>(null);
  const screen = useRef<ScreenView | null>(null);
  const topBefore = useRef(0);
  const [missed, setMissed] = useState(0);
  const { wrap, terminalSize, colours, follow, tintDiffs } = preferences.current.value;
  const styles = colours ? panes.styles.value.get(pane.id) : undefined;
  const isFollowing = terminal.isFollowing.value;
  const isPaused = terminal.isPaused.value;

  usePinch(area);
  useEffect(() => watchSelection(area, terminal.isPaused), []);
  useLayoutEffect(() => {
    if (area.current === null) return;
    const keep = () => {
      const all = screen.current?.rows ?? [];
      const at = firstVisibleIndex(all, area.current);
      if (at === all.length) return;
      const lines = digestsOf(all.slice(at, at + PLACE_LINES));
      const place = { keys: [pane.id, ...lines], offset: all.length - at };
      router.savePosition(SCREEN, terminal.isFollowing.peek() ? null : place);
    };
    const end = afterScroll(area.current, router, keep);
    return () => {
      // Another tab or other columns: the entry of the history is still the same.
      if (router.openPane.peek() === pane.id) keep();
      end();
    };
  }, []);
  useLayoutEffect(() => {
    if (rows.current === null || isPaused) return;
    screen.current ??= new ScreenView(rows.current);
    // The lines may come after the page.
    const isFirst = screen.current.rows.length === 0 && pane.lines.length > 0;
    const lines = pane.lines.map((text, i) => ({ text, runs: styles?.[i] ?? NO_RUNS }));
    const release = terminal.isFollowing.peek()
      ? null
      : holdPlace(screen.current.rows, area.current);
    const added = screen.current.show(lines, tintDiffs);
    release?.();
    if (isFirst) {
      rowAt(screen.current.rows, router.savedPosition(SCREEN), pane.id)?.scrollIntoView();
      // A screen without room to scroll is at its end as well.
      terminal.isFollowing.value = follow && isScrolledToEnd(area.current);
    } else if (!terminal.isFollowing.peek() && added > 0) setMissed((count) => count + added);
  }, [pane.lines, styles, tintDiffs, isPaused]);
  useLayoutEffect(() => {
    if (!terminal.isFollowing.peek()) return;
    setMissed(0);
    if (area.current !== null) area.current.scrollTop = 0;
  }, [isFollowing]);

  const onScroll = () => {
    const element = area.current;
    if (element === null) return;
    const { scrollTop } = element;
    // Rows that are held in their place only move away from the end: a reader comes to it.
    if (!isScrolledToEnd(element)) terminal.isFollowing.value = false;
    else if (scrollTop > topBefore.current) terminal.isFollowing.value ||= follow;
    topBefore.current = scrollTop;
  };
  return (
    <div class="terminal-frame stack fills grow relative terminal-ground">
      {terminal.isFinding.value && <Find screen={screen} area={area} lines={pane.lines} />}
      <section
        ref={area}
        class={`terminal fills ${wrap ? "wrapped" : ""} ${isFollowing ? "following" : ""}`}
        style={{ "--term-size": `${terminalSize}px` }}
        role="log"
        aria-live="off"
        aria-label="Terminal output"
        tabIndex={0}
        data-terminal={pane.id}
        onScroll={onScroll}
      >
        {pane.lines.length === 0 && <p class="terminal-empty text-3">No output yet</p>}
        <pre ref={rows} dir="ltr" />
      </section>
      {isPaused && <p class="floating paused inline gap-6 fs-13 bold">Paused while you select</p>}
      {!isFollowing && !isPaused && (
        <button
          type="button"
          class="floating inline gap-6 fs-13 bold"
          onClick={() => {
            terminal.isFollowing.value = true;
          }}
        >
          <Icon name="toEnd" class="text-accent" />
          {missed > 0 ? count(missed, "new line", "new lines") : "To the end"}
        </button>
      )}
    </div>
  );
}

/** The history outlives a sign-out: it gets no text of a terminal. */
const digestsOf = (rows: readonly HTMLElement[]): string[] =>
  rows.map(({ textContent }) => {
    let digest = 0;
    for (let i = 0; i < textContent.length; i++)
      digest = (Math.imul(digest, 31) + textContent.charCodeAt(i)) | 0;
    return digest.toString(36);
  });

/** More lines may have come, and old ones gone; of several places that are alike it is the nearest. */
function rowAt(rows: readonly HTMLElement[], place: ScrollPosition | null, paneId: string) {
  if (place?.keys[0] !== paneId) return undefined;
  const [, ...lines] = place.keys;
  const before = rows.length - place.offset;
  const digests = digestsOf(rows);
  const [at = before] = [...rows.keys()]
    .filter((i) => lines.every((line, j) => digests[i + j] === line))
    .toSorted((a, b) => Math.abs(a - before) - Math.abs(b - before));
  return rows[at];
}

/** While text in the terminal is selected nothing may move under it. */
function watchSelection(area: Area, isSelecting: Signal<boolean>): () => void {
  const check = () => {
    const selection = document.getSelection();
    const isInside = selection?.anchorNode != null && area.current?.contains(selection.anchorNode);
    isSelecting.value = isInside === true && selection?.isCollapsed === false;
  };
  document.addEventListener("selectionchange", check);
  return () => {
    document.removeEventListener("selectionchange", check);
    isSelecting.value = false;
  };
}

/** Two fingers on the terminal change the size of its text, in whole pixels. */
function usePinch(area: Area): void {
  const { preferences } = useBrowser();
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    let start: { readonly distance: number; readonly size: number } | null = null;
    const onStart = (event: TouchEvent) => {
      const distance = spread(event.touches);
      start =
        distance === null ? null : { distance, size: preferences.current.peek().terminalSize };
    };
    const onMove = (event: TouchEvent) => {
      const distance = spread(event.touches);
      if (start === null || distance === null) return;
      event.preventDefault();
      const scaled = Math.round((start.size * distance) / start.distance);
      const size = Math.min(TERMINAL_SIZES.max, Math.max(TERMINAL_SIZES.min, scaled));
      if (size !== preferences.current.peek().terminalSize) preferences.set({ terminalSize: size });
    };
    const ends = new AbortController();
    const { signal } = ends;
    // When one of two fingers is lifted the pinch ends.
    for (const type of ["touchstart", "touchend"] as const)
      element.addEventListener(type, onStart, { passive: true, signal });
    element.addEventListener("touchmove", onMove, { passive: false, signal });
    return () => ends.abort();
  }, []);
}

function spread(touches: TouchList): number | null {
  const [one, other] = [touches[0], touches[1]];
  if (one === undefined || other === undefined) return null;
  return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
}
