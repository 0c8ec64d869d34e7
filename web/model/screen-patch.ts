/** How to make one list of rows from another: `drop` rows scroll away, `head` and `tail` stay. */
export interface ScreenPatch {
  readonly drop: number;
  readonly head: number;
  readonly tail: number;
}

/** Rows that may scroll away at once before the rest is simply written anew. */
const MAX_SCROLL = 300;

/**
 * Finds what stays between two screens of a terminal. Output either grows at the end, is rewritten
 * near the end, or scrolls: so the rows that stay are a run from `drop` and a run at the end.
 */
export function patchScreen<T>(
  before: readonly T[],
  after: readonly T[],
  same: (a: T, b: T) => boolean,
): ScreenPatch {
  /** How many rows are the same from two of them on, in one direction. */
  const run = (i: number, j: number, step: 1 | -1): number => {
    for (let length = 0; ; length++) {
      const left = before[i + step * length];
      const right = after[j + step * length];
      if (left === undefined || right === undefined || !same(left, right)) return length;
    }
  };
  const end = run(before.length - 1, after.length - 1, -1);
  let best: ScreenPatch = { drop: 0, head: 0, tail: end };
  const limit = Math.min(before.length, MAX_SCROLL);
  for (let drop = 0; drop <= limit; drop++) {
    const head = run(drop, 0, 1);
    const tail = Math.min(end, after.length - head, before.length - drop - head);
    if (head + tail > best.head + best.tail) best = { drop, head, tail };
    if (best.drop + best.head + best.tail >= before.length) break;
  }
  return best;
}
