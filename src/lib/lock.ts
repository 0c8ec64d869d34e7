/** So much work runs at the same time, in the order of the calls; what waits takes the place that is free first. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

/** Work under one key runs one after another; other keys are not delayed. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#tails.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
    }
  }

  /** Resolves when no key has running or waiting work. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.allSettled(this.#tails.values());
  }
}

/**
 * What `work` makes of each item, in the order of the items, with at most `limit` under way. After the
 * first failure, which is thrown, nothing more is begun.
 */
export async function mapLimit<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  const left = items.entries();
  const lane = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return results;
}
