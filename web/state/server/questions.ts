import type { EndpointName } from "../../../src/protocol/endpoints.ts";
import type { Asking, ReplyOf } from "../../net/api.ts";
import { Query } from "./query.ts";
import type { Part, Server } from "./server.ts";

/** The answers of endpoints, for whoever shows them: one query for each question. */
export class Questions implements Part {
  readonly #server: Server;
  readonly #queries = new Map<string, Query<unknown>>();

  constructor(server: Server) {
    this.#server = server;
  }

  query = <K extends EndpointName, T = ReplyOf<K>>(name: K, ...asked: Asking<K, T>): Query<T> => {
    const { read: _, ...question } = { read: undefined, ...asked[0] };
    const key = `${name} ${JSON.stringify(question)}`;
    const known = this.#queries.get(key);
    // One question has one reader.
    if (known !== undefined) return known as Query<T>;
    // What is asked with a signal is asked as before; the compiler cannot join them.
    const ask = (signal: AbortSignal) =>
      this.#server.api.call<K, T>(name, { ...asked[0], signal } as never);
    const made = new Query(ask);
    this.#queries.set(key, made);
    return made;
  };

  /** What is shown of these endpoints is asked for anew; the rest when it is next shown. */
  invalidate = (path: string, about: Readonly<Record<string, string>> = {}): void => {
    const part = JSON.stringify(about).slice(1, -1);
    for (const [key, query] of this.#queries)
      if (key.startsWith(path) && key.includes(part)) query.invalidate();
  };

  clear(): void {
    for (const query of this.#queries.values()) query.clear();
  }
}
