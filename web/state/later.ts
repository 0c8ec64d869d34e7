import { computed, signal } from "@preact/signals";

export type Later = typeof import("../later.ts");

/** Filled in by the build: the addresses of the later part and of its style sheet. */
declare const LATER_SCRIPT: string;
declare const LATER_STYLES: string;

/** A try that takes longer has failed; what it brings still counts, whenever it comes. */
const PATIENCE_MS = 30_000;

/** Loaded once, however many wait for it; again after a failure. */
class LazyModule<T> {
  /** Null until then. */
  readonly loaded = signal<T | null>(null);
  readonly #load: (query: string) => Promise<T>;
  #loading: Promise<T> | null = null;
  #tries = 0;

  /** `query`: another one for each try, since a browser does not ask again for the same address. */
  constructor(load: (query: string) => Promise<T>) {
    this.#load = load;
  }

  async load(): Promise<T> {
    return this.loaded.peek() ?? (this.#loading ??= this.#try());
  }

  async #try(): Promise<T> {
    const query = this.#tries === 0 ? "" : `?try=${this.#tries}`;
    this.#tries += 1;
    const loading = this.#load(query).then((loaded) => (this.loaded.value ??= loaded));
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error("a part did not come in time")), PATIENCE_MS);
    try {
      return await Promise.race([loading, timeout]);
    } finally {
      clearTimeout(timer);
      this.#loading = null;
    }
  }
}

/** All code that does not come with the page. */
export const later = new LazyModule<Later>((query) =>
  query === "" ? import("../later.ts") : import(LATER_SCRIPT + query),
);

const styles = new LazyModule(
  (query) =>
    new Promise<HTMLLinkElement>((resolve, reject) => {
      const link = document.createElement("link");
      link.onload = () => resolve(link);
      link.onerror = () => {
        link.remove();
        reject(new Error("the looks of a view did not load"));
      };
      link.rel = "stylesheet";
      link.href = LATER_STYLES + query;
      document.head.append(link);
    }),
);

/** The later part with its style sheet: a view without that may not be drawn. */
export const whole = computed(() => styles.loaded.value && later.loaded.value);
export const loadWhole = async (): Promise<void> => {
  await Promise.all([later.load(), styles.load()]);
};
