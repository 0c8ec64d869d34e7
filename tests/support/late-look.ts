import { jest } from "bun:test";
import type { AppError } from "../../src/errors.ts";
import { atDisk } from "../../src/lib/inside.ts";

/** Longer than a look may take. */
const LONG_MS = 60_000;

/**
 * A look at a disk that does not answer, and is late already: its outcome, that of the looks which began
 * `behind` it in time, and what makes the disk answer.
 */
export async function lateLook<T>(path: string, behind: () => T) {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  jest.useFakeTimers();
  try {
    const look = atDisk(path, () => promise).catch((error: AppError) => error.kind);
    const others = behind();
    // Its turn begins with it.
    await Promise.resolve();
    jest.advanceTimersByTime(LONG_MS);
    return { look, others, answer };
  } finally {
    jest.useRealTimers();
  }
}
