import type { EndpointName } from "../../../src/protocol/endpoints.ts";
import type { CallArgs, ReplyOf } from "../../net/api.ts";
import { Query } from "./query.ts";
import { Part } from "./part.ts";

/** Of the six connections that a browser has to a server: no answer waits behind git. */
const LISTINGS_AT_ONCE = 4;

/** The answers of endpoints, for whoever shows them: one query for each question. */
export class Queries extends Part {
  readonly #queries = new Map<string, Query<unknown>>();
  readonly #listings = new Semaphore(LISTINGS_AT_ONCE);

  query = <K extends EndpointName, T = ReplyOf<K>>(name: K, ...asked: CallArgs<K, T>): Query<T> => {
    const { read: _, ...question } = { read: undefined, ...asked[0] };
    const key = `${name} ${JSON.stringify(question)}`;
    const known = this.#queries.get(key);
    // One question has one reader.
    if (known !== undefined) return known as Query<T>;
    // What is asked with a signal is asked as before; the compiler cannot join them.
    const ask = (signal: AbortSignal) =>
      this.server.api.call<K, T>(name, { ...asked[0], signal } as never);
    const isListing = name === "GET /api/changes";
    const made = new Query<T>((signal) =>
      isListing ? this.#listings.take(() => ask(signal)) : ask(signal),
    );
    this.#queries.set(key, made);
    return made;
  };

  /** What is shown of these endpoints is asked for anew; the rest when it is next shown. */
  invalidate = (path: string, about: Readonly<Record<string, string>> = {}): void => {
    const part = JSON.stringify(about).slice(1, -1);
    for (const [key, query] of this.#queries)
      if (key.startsWith(path) && key.includes(part)) query.invalidate();
  };
}

/** Asks at most `atOnce` of its questions at the same time; the rest in their order. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async take<T>(question: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await question();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
