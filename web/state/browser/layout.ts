import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { PageTab } from "./router.ts";

/** Columns by width alone. */
export type Columns = 1 | 2 | 3;

const TWO = "(min-width: 820px)";
const THREE = "(min-width: 1200px)";
/** Below this height nothing docks under the terminal, where there is room beside it. */
const LOW = "(max-height: 479.98px) and (min-width: 560px)";
const FIELDS = "input, textarea";

export class Layout {
  readonly columns: ReadonlySignal<Columns>;
  readonly isLow: ReadonlySignal<boolean>;
  /** Whether the sides of the three columns are shown; `[` and `]` switch them. */
  readonly hasNavigator = signal(true);
  readonly hasInspector = signal(true);
  /** What the list of all panes is searched for. */
  readonly listSearch = signal("");
  /** The tab of a pane's page that a desk keeps: the one chosen last. */
  readonly pageTab = signal<PageTab>("chat");
  readonly hasThird = computed(() => this.columns.value === 3 && this.hasInspector.value);

  constructor(window: Window) {
    const two = follow(window, TWO);
    const three = follow(window, THREE);
    this.isLow = follow(window, LOW, true);
    this.columns = computed(() => {
      if (three.value) return 3;
      return two.value ? 2 : 1;
    });
  }
}

/** Follows a query; `rests` while an on-screen keyboard takes the room: its field would go. */
function follow(window: Window, query: string, rests = false): ReadonlySignal<boolean> {
  const list = window.matchMedia(query);
  const matches = signal(list.matches);
  const look = () => {
    const isWriting = rests && window.document.activeElement?.matches(FIELDS) === true;
    if (!list.matches || !isWriting) matches.value = list.matches;
  };
  if (rests) window.addEventListener("resize", look);
  else list.addEventListener("change", look);
  return matches;
}

/**
 * How much of the page the on-screen keyboard covers, as `--kb`. Browsers that resize the content by
 * themselves report no overlap; the others move only the visual viewport. Nothing is covered until it
 * moves: asking at the start would force a layout of a page that is about to change.
 */
export function followKeyboard(window: Window): void {
  const viewport = window.visualViewport;
  if (viewport === null) return;
  const update = () => {
    const { innerHeight, document } = window;
    // A pinched page is not one with a keyboard.
    const isZoomed = viewport.scale > 1.05;
    const covered = innerHeight - viewport.height - viewport.offsetTop;
    const overlap = isZoomed ? 0 : Math.max(0, Math.round(covered));
    document.documentElement.style.setProperty("--kb", `${overlap}px`);
  };
  viewport.addEventListener("resize", update);
  viewport.addEventListener("scroll", update);
}

type Listener = (isNear: boolean) => void;

/** Tells elements whether they are on the screen, or within another one of what scrolls them. */
export class NearObserver {
  readonly #listeners = new WeakMap<Element, Listener>();
  readonly #onScreen = this.#observe({});
  readonly #within = new WeakMap<Element, IntersectionObserver>();

  #observe(options: IntersectionObserverInit): IntersectionObserver {
    return new IntersectionObserver((entries) => {
      for (const entry of entries) this.#listeners.get(entry.target)?.(entry.isIntersecting);
    }, options);
  }

  // What scrolls clips by itself: only as the root of its observer has it a margin.
  #withinOf(scroller: Element): IntersectionObserver {
    const known = this.#within.get(scroller);
    const observer = known ?? this.#observe({ root: scroller, rootMargin: "100% 0px" });
    this.#within.set(scroller, observer);
    return observer;
  }

  /** Draws an element that is wanted before it is scrolled to. */
  fetch(element: Element): void {
    this.#listeners.get(element)?.(true);
  }

  /** Tells of one screen of the `scroller`, and of those beside it; without one, of what is seen. */
  watch(element: Element, listener: Listener, scroller: Element | null = null): () => void {
    const observer = scroller === null ? this.#onScreen : this.#withinOf(scroller);
    this.#listeners.set(element, listener);
    observer.observe(element);
    return () => observer.unobserve(element);
  }
}

/** What the reader does with the open terminal, steered from its menu, its header and the keyboard. */
export class TerminalTools {
  readonly isFinding = signal(false);
  readonly isFollowing = signal(true);
  /** The reader has selected text, and nothing moves under it. */
  readonly isPaused = signal(false);
  /** Keys and message where nothing docks under the terminal. */
  readonly hasInput = signal(false);
  /** Whether a person has folded a question or opened it, by its signature; null: it stands as its tab has it. */
  readonly folding = signal<{ readonly question: string; readonly isFolded: boolean } | null>(null);
  #paneId: string | null = null;

  /** A pane is shown: everything begins anew, unless only the columns have changed around it. */
  open(paneId: string): void {
    if (this.#paneId === paneId) return;
    this.#paneId = paneId;
    this.isFinding.value = false;
    this.isFollowing.value = true;
    this.hasInput.value = false;
    this.folding.value = null;
  }

  leave(): void {
    this.#paneId = null;
  }
}
