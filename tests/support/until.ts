/** Polls until `look` gives something; for conditions that another process brings about. */
export async function until<T>(
  look: () => T | null | undefined | Promise<T | null | undefined>,
  deadlineMs = 30_000,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined) return found;
    if (performance.now() > end) throw new Error(`nothing within ${deadlineMs} ms`);
    await Bun.sleep(5);
  }
}
