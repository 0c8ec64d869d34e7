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
  let end = 0;
  const shorter = Math.min(before.length, after.length);
  while (
    end < shorter &&
    sameAt(before, before.length - 1 - end, after, after.length - 1 - end, same)
  )
    end++;
  let best: ScreenPatch = { drop: 0, head: 0, tail: end };
  const limit = Math.min(before.length, MAX_SCROLL);
  for (let drop = 0; drop <= limit; drop++) {
    const head = commonHead(before, drop, after, same);
    const tail = Math.min(end, after.length - head, before.length - drop - head);
    if (head + tail > best.head + best.tail) best = { drop, head, tail };
    if (best.drop + best.head + best.tail >= before.length) break;
  }
  return best;
}

function commonHead<T>(
  before: readonly T[],
  drop: number,
  after: readonly T[],
  same: (a: T, b: T) => boolean,
): number {
  const length = Math.min(before.length - drop, after.length);
  let head = 0;
  while (head < length && sameAt(before, drop + head, after, head, same)) head++;
  return head;
}

function sameAt<T>(
  a: readonly T[],
  i: number,
  b: readonly T[],
  j: number,
  same: (a: T, b: T) => boolean,
): boolean {
  const left = a[i];
  const right = b[j];
  return left !== undefined && right !== undefined && same(left, right);
}
