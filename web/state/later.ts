export type Later = typeof import("../later.ts");

/** Loaded once, however many wait for it; again after a failure. */
export class LazyModule<T> {
  /** Null until then. */
  loaded: T | null = null;
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | null = null;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  load(): Promise<T> {
    return (this.#loading ??= this.#load().then(
      (loaded) => (this.loaded = loaded),
      (fault: unknown) => {
        this.#loading = null;
        throw fault;
      },
    ));
  }
}

/** All code that does not come with the page. */
export const later = new LazyModule<Later>(() => import("../later.ts"));
