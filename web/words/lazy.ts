/** Makes a value when it is first needed. Formatters load the data of their language, which takes long. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}
