/** Of one wait. Generous, since a loaded machine is slow and not wrong. */
export const WAIT_MS = 100_000;
/** Of a test, which waits several times: one that hangs still ends. */
export const TEST_MS = 300_000;

/** Looks grow rarer: a result is noticed a quarter of its wait too late at most, and 100 ms. */
const FIRST_MS = 5;
const MOST_MS = 100;

type NotYet = null | undefined | false;

/** Polls until `look` gives something, or true; for conditions that another process brings about. */
export async function until<T>(
  look: () => T | NotYet | Promise<T | NotYet>,
  deadlineMs = WAIT_MS,
): Promise<Exclude<T, NotYet>> {
  const start = performance.now();
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false)
      return found as Exclude<T, NotYet>;
    const waitedMs = performance.now() - start;
    if (waitedMs > deadlineMs) throw new Error(`nothing within ${deadlineMs} ms`);
    await Bun.sleep(Math.min(MOST_MS, Math.max(FIRST_MS, waitedMs / 4)));
  }
}
