export type Later = typeof import("../later.ts");

/** Asked for once, however many wait for it; again where it did not come. */
export class Late<T> {
  /** Null until it has come. */
  here: T | null = null;
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | null = null;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  load(): Promise<T> {
    return (this.#loading ??= this.#load().then(
      (loaded) => (this.here = loaded),
      (fault: unknown) => {
        this.#loading = null;
        throw fault;
      },
    ));
  }
}

/** The one part of the code that does not come with the page. */
export const later = new Late<Later>(() => import("../later.ts"));
