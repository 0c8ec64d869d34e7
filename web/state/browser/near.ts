// The scrolling areas clip by themselves; the margin keeps a little more drawn.
const MARGIN = "400px 0px";

type Listener = (isNear: boolean) => void;

/** Tells elements whether they are on the screen or close to it. One observer for all of them. */
export class Near {
  readonly #listeners = new WeakMap<Element, Listener>();
  readonly #observer: IntersectionObserver;

  /** @param root what scrolls, with how much of it counts as close; else the window. */
  constructor(root: Element | null = null, margin = MARGIN) {
    this.#observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) this.#listeners.get(entry.target)?.(entry.isIntersecting);
      },
      { root, rootMargin: margin },
    );
  }

  /** Draws an element that is wanted before it is scrolled to. */
  fetch(element: Element): void {
    this.#listeners.get(element)?.(true);
  }

  watch(element: Element, listener: Listener): () => void {
    this.#listeners.set(element, listener);
    this.#observer.observe(element);
    return () => this.#observer.unobserve(element);
  }
}
