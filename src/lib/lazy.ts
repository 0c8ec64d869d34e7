/** Made when it is asked for first, and the same from then on. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/**
 * Stands for an object that is made when something of it is read first. The build puts it around the
 * schemas: most of them no run of the program looks at, and to make all of them is a quarter of a start.
 */
export function lazyObject<T extends object>(make: () => T): T {
  const made = lazy(make);
  // Whatever is asked of it is told by the object itself.
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(made(), name),
    has: (_, name) => Reflect.has(made(), name),
    getPrototypeOf: () => Reflect.getPrototypeOf(made()),
  });
}
