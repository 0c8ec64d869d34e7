import type { Pane } from "./pane.ts";

/**
 * A list with the objects that it had before where nothing about them differs, and the very list
 * before where nothing at all does: whoever compares them has nothing to do.
 */
export function reuse<T>(
  before: readonly T[],
  next: readonly T[],
  keyOf: (one: T) => string,
  same: (a: T, b: T) => boolean = sameValue,
): readonly T[] {
  const known = new Map(before.map((one) => [keyOf(one), one]));
  const kept = next.map((one) => {
    const old = known.get(keyOf(one));
    return old !== undefined && same(old, one) ? old : one;
  });
  const isSame = kept.length === before.length && kept.every((one, i) => one === before[i]);
  return isSame ? before : kept;
}

export const reusePanes = (before: readonly Pane[], panes: readonly Pane[]): readonly Pane[] =>
  reuse(before, panes, ({ id }) => id, samePane);

/** `changed` only says that this pass saw new output, which `updated` says as well. */
const samePane = (a: Pane, b: Pane): boolean =>
  a === b ||
  (a.updated === b.updated && sameValue({ ...a, changed: null }, { ...b, changed: null }));

/** Equality of what JSON can hold. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  // Lines are many, and their output grows at the end.
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.findLastIndex((one, i) => !sameValue(one, b[i])) < 0;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => sameValue(Reflect.get(a, key), Reflect.get(b, key)));
}

/** A function of objects that are never changed, such as panes: worked out once for each of them. */
export function memoize<T extends object, V>(work: (of: T) => V): (of: T) => V {
  const known = new WeakMap<T, V>();
  return (of) => {
    const kept = known.get(of);
    if (kept !== undefined) return kept;
    const made = work(of);
    known.set(of, made);
    return made;
  };
}
