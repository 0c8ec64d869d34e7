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

function samePane(a: Pane, b: Pane): boolean {
  if (a === b) return true;
  if (a.updated !== b.updated) return false;
  for (const key of Object.keys(b) as (keyof Pane)[]) {
    // `changed` only says that this pass saw new output, which `updated` says as well.
    if (key === "changed" || key === "lines" || key === "preview") continue;
    if (!sameValue(a[key], b[key])) return false;
  }
  return sameLines(a.lines, b.lines) && sameLines(a.preview, b.preview);
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  // From the end: that is where output grows.
  for (let i = a.length - 1; i >= 0; i--) if (a[i] !== b[i]) return false;
  return true;
}

/** Equality of what JSON can hold. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => sameValue(Reflect.get(a, key), Reflect.get(b, key)));
}
