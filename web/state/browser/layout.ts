import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { PageTab } from "./router.ts";

type Columns = 1 | 2 | 3;

const TWO = "(min-width: 820px)";
const THREE = "(min-width: 1200px)";
/** Too low to dock anything below the terminal, and wide enough to put it beside. */
const LOW = "(max-height: 479.98px) and (min-width: 560px)";
const FIELDS = "input, textarea";

export class Layout {
  readonly columns: ReadonlySignal<Columns>;
  readonly isLow: ReadonlySignal<boolean>;
  /** Switched by `[` and `]`. */
  readonly hasNavigator = signal(true);
  readonly hasInspector = signal(true);
  /** The search of the list of all panes. */
  readonly listSearch = signal("");
  /** The tab chosen last; a desk opens panes with it. */
  readonly pageTab = signal<PageTab>("chat");
  /** Whether a list of panes stands on the screen, beside a page or alone. */
  readonly hasList = computed(() => this.columns.value < 3 || this.hasNavigator.value);
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

/** `rests`: does not follow while an on-screen keyboard is open, whose field would go. */
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
 * Sets `--kb` to the height that the on-screen keyboard covers. Browsers that resize the content
 * report no overlap; the others move only the visual viewport. Not read at the start: that would
 * force a layout of a page that is about to change.
 */
export function followKeyboard(window: Window): void {
  const viewport = window.visualViewport;
  if (viewport === null) return;
  const update = () => {
    const { innerHeight, document } = window;
    // Pinch zoom changes the viewport too.
    const isZoomed = viewport.scale > 1.05;
    const covered = innerHeight - viewport.height - viewport.offsetTop;
    const overlap = isZoomed ? 0 : Math.max(0, Math.round(covered));
    document.documentElement.style.setProperty("--kb", `${overlap}px`);
  };
  viewport.addEventListener("resize", update);
  viewport.addEventListener("scroll", update);
}

type Listener = (isNear: boolean) => void;

/** Tells elements whether they are on the screen, or within one screen of it in their scroller. */
export class NearObserver {
  readonly #listeners = new WeakMap<Element, Listener>();
  readonly #tell = ({ target, isIntersecting }: IntersectionObserverEntry): void =>
    this.#listeners.get(target)?.(isIntersecting);
  readonly #onScreen = new IntersectionObserver((entries) => entries.forEach(this.#tell));
  readonly #within = new WeakMap<Element, IntersectionObserver>();

  // `rootMargin` applies only to the observer's own root.
  #withinOf(scroller: Element): IntersectionObserver {
    const known = this.#within.get(scroller);
    const options = { root: scroller, rootMargin: "100% 0px" };
    const observer = known ?? new IntersectionObserver(this.#tellInTurn, options);
    this.#within.set(scroller, observer);
    return observer;
  }

  /** Those that come near one in each frame, from the middle of the screen on: drawing all is a long task. */
  readonly #tellInTurn: IntersectionObserverCallback = (entries, observer) => {
    // The last entry of each element: on a busy page several come together.
    const all = [...new Map(entries.map((entry) => [entry.target, entry])).values()];
    const near = all.filter(({ isIntersecting }) => isIntersecting);
    const [, ...later] = near.toSorted((a, b) => fromMiddle(a) - fromMiddle(b));
    for (const { target } of later) {
      // Observed anew, it is reported again with the next frame.
      observer.unobserve(target);
      observer.observe(target);
    }
    all.filter((entry) => !later.includes(entry)).forEach(this.#tell);
  };

  /** Draws an element before it is scrolled to. */
  fetch(element: Element): void {
    this.#listeners.get(element)?.(true);
  }

  /** With a `scroller` also within one screen of it; else only on the screen. */
  watch(element: Element, listener: Listener, scroller: Element | null = null): () => void {
    const observer = scroller === null ? this.#onScreen : this.#withinOf(scroller);
    this.#listeners.set(element, listener);
    observer.observe(element);
    return () => observer.unobserve(element);
  }
}

/** Distance of the middles of an element and of the screen, in half pixels. */
const fromMiddle = ({ boundingClientRect: box, rootBounds: root }: IntersectionObserverEntry) =>
  Math.abs(box.top + box.bottom - (root?.top ?? 0) - (root?.bottom ?? 0));

/** State of the open terminal, set by its menu, its header and the keyboard. */
export class TerminalTools {
  readonly isFinding = signal(false);
  readonly isFollowing = signal(true);
  /** While text is selected nothing may move under it. */
  readonly isPaused = signal(false);
  /** Whether keys and message are open where nothing docks under the terminal. */
  readonly hasInput = signal(false);
  /** Set by the person, for the question with this signature; null: as the tab has it. */
  readonly folding = signal<{ readonly question: string; readonly isFolded: boolean } | null>(null);
  #paneId: string | null = null;

  /** Resets for another pane, not for a change of columns. */
  open(paneId: string, isFollowing: boolean): void {
    if (this.#paneId === paneId) return;
    this.#paneId = paneId;
    this.isFinding.value = false;
    this.isFollowing.value = isFollowing;
    this.hasInput.value = false;
    this.folding.value = null;
  }

  leave(paneId: string): void {
    if (this.#paneId === paneId) this.#paneId = null;
  }
}
