export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/**
 * A proxy of an object that is made when a member of it is first read. The build puts it around the
 * schemas: making all of them takes a quarter of a start, and most runs need few.
 */
export function lazyObject<T extends object>(make: () => T): T {
  const made = lazy(make);
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(made(), name),
    has: (_, name) => Reflect.has(made(), name),
    getPrototypeOf: () => Reflect.getPrototypeOf(made()),
  });
}
