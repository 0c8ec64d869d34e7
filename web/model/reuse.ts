import type { Pane } from "./pane.ts";

/**
 * `next` with the old object for each item that is equal, and the old list where all are: identity
 * then tells that nothing changed.
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

/** `changed` tells of new output in this pass, which `updated` tells as well. */
const samePane = (a: Pane, b: Pane): boolean =>
  a === b ||
  (a.updated === b.updated && sameValue({ ...a, changed: null }, { ...b, changed: null }));

export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  // Compared from the end, where terminal output differs first.
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.findLastIndex((one, i) => !sameValue(one, b[i])) < 0;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => sameValue(Reflect.get(a, key), Reflect.get(b, key)));
}

/** For functions of immutable objects such as panes; results are held weakly. */
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
