import { signal } from "@preact/signals";
import type { ChangedFile, ChangesRange, FileChanges } from "../../../src/protocol/changes.ts";
import type { EndpointName } from "../../../src/protocol/endpoints.ts";
import type { CallArgs, ReplyOf } from "../../net/api.ts";
import { Query } from "./query.ts";
import { Part } from "./part.ts";

/** Browsers open six connections per server: listings, which wait for git, must not take all. */
const LISTINGS_AT_ONCE = 4;

/** Diffs may take a megabyte each. */
const UNWATCHED_FILES = 8;

/** One query for each endpoint and its parameters, shared by all views. */
export class Queries extends Part {
  readonly #queries = new Map<string, Query<unknown>>();
  readonly #listings = new Semaphore(LISTINGS_AT_ONCE);

  query = <K extends EndpointName, T = ReplyOf<K>>(name: K, ...asked: CallArgs<K, T>): Query<T> => {
    const { read: _, ...question } = { read: undefined, ...asked[0] };
    const key = `${name} ${JSON.stringify(question)}`;
    const known = this.#queries.get(key);
    // The same key has the same reader.
    if (known !== undefined) return known as Query<T>;
    // The compiler cannot join the signal to the generic arguments.
    const ask = (signal: AbortSignal) =>
      this.server.api.call<K, T>(name, { ...asked[0], signal } as never);
    const isListing = name === "GET /api/changes";
    const made = new Query<T>((signal) =>
      isListing ? this.#listings.take(() => ask(signal)) : ask(signal),
    );
    this.#queries.set(key, made);
    return made;
  };

  /** Reloads what is shown now, and the rest when it is next shown. */
  invalidate = (path: string, about: Readonly<Record<string, string>> = {}): void => {
    const part = JSON.stringify(about).slice(1, -1);
    for (const [key, query] of this.#queries)
      if (key.startsWith(path) && key.includes(part)) query.invalidate();
  };
}

/** Reloaded when it is shown and when a turn ends. */
export class ChangesPart extends Part {
  readonly range = signal<ChangesRange>("head");
  /** Those that may have a value, in the order of their last use. */
  readonly #files = new Set<Query<FileChanges>>();

  list(id: string) {
    return this.server
      .part(Queries)
      .query("GET /api/changes", { query: { id, range: this.range.value } });
  }

  file(id: string, { path, old_path }: ChangedFile) {
    const query = { id, range: this.range.value, path, ...(old_path === null ? {} : { old_path }) };
    const asked = this.server.part(Queries).query("GET /api/changes/file", { query });
    this.#files.delete(asked);
    this.#files.add(asked);
    const unwatched = [...this.#files].filter(({ isWatched }) => !isWatched);
    for (const old of unwatched.slice(0, -UNWATCHED_FILES)) {
      old.clear();
      this.#files.delete(old);
    }
    return asked;
  }

  refresh(id: string): void {
    this.server.part(Queries).invalidate("GET /api/changes", { id });
  }
}

/** At most `atOnce` at the same time, the rest in their order. */
class Semaphore {
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
