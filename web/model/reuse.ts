import type { Pane } from "./pane.ts";

/** Panes of a snapshot, each as the object that is already known where nothing about it differs. */
export function reusePanes(
  known: ReadonlyMap<string, Pane>,
  panes: readonly Pane[],
): readonly Pane[] {
  return panes.map((pane) => {
    const before = known.get(pane.id);
    return before !== undefined && samePane(before, pane) ? before : pane;
  });
}

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
