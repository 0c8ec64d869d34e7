export type Later = typeof import("../later.ts");

/** Asked for once, however many wait for it; again where it did not come. */
export class LazyModule<T> {
  /** Null until it has come. */
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

/** The one part of the code that does not come with the page. */
export const later = new LazyModule<Later>(() => import("../later.ts"));
