import type { View } from "./region.ts";

/** A reading that several rules share, made once for each view. */
export function perView<T>(read: (view: View) => T): (view: View) => T {
  const known = new WeakMap<View, { value: T }>();
  return (view) => {
    const found = known.get(view) ?? { value: read(view) };
    known.set(view, found);
    return found.value;
  };
}
