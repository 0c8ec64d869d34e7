import { TooManyError } from "../errors.ts";

/** At most `count` works run at the same time, in the order of the calls. */
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

/** Refuses a request while too many of its client, or of all, are in progress. */
export class RequestLimit {
  readonly #clients: string[] = [];

  constructor(
    readonly refusal: string,
    readonly most: { ofOne: number; ofAll: number; retryAfterSeconds: number },
  ) {}

  /** @throws AppError too_many, else what `work` throws */
  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    const { ofOne, ofAll, retryAfterSeconds } = this.most;
    const own = this.#clients.filter((one) => one === client);
    if (own.length >= ofOne || this.#clients.length >= ofAll)
      throw new TooManyError(this.refusal, retryAfterSeconds);
    this.#clients.push(client);
    try {
      return await work();
    } finally {
      this.#clients.splice(this.#clients.indexOf(client), 1);
    }
  }
}

/** Works under one key run one after another and do not delay those of other keys. */
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
 * The results in the order of the items, with at most `limit` works at a time. After the first
 * failure, which is thrown, no other work begins.
 */
export async function mapLimit<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  const queue = items.entries();
  const lane = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return results;
}
