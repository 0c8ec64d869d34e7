import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import { exists, type JsonFile } from "../lib/json-file.ts";
import { Semaphore } from "../lib/lock.ts";
import { readStored } from "../lib/stored-json.ts";

export const NAMES_FILE = "panewatch-names.json";
export const NAME_LIFETIME_SECONDS = 6 * 3600;
const MAX_NAMES = 500;

/** The file: names by the hash of their pane; `at` is epoch seconds. */
const SavedNames = z.record(z.string(), z.object({ name: z.string(), at: z.number() }));

interface CachedName {
  name: string;
  /** Epoch seconds, for the file. */
  at: number;
  /** Monotonic seconds. */
  since: number;
}

/** Names from a model, by the hash of their pane; kept over restarts for some hours. */
export class NameCache {
  readonly #file: JsonFile;
  readonly #clock: Clock;
  readonly #lock = new Semaphore(1);
  #names: ReadonlyMap<string, CachedName> = new Map();
  #isSaved = false;

  constructor(file: JsonFile, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  /** @throws UnreadableError */
  async load(): Promise<void> {
    const data = await readStored(this.#file, SavedNames);
    if (data === null) return;
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()];
    const entries = Object.entries(data).map(([key, { name, at }]) => {
      // A time in the future comes from a wrong clock: it counts as now.
      const age = Math.max(0, now - at);
      return [key, { name, at: now - age, since: monotonic - age }] as const;
    });
    this.#names = new Map(entries);
    this.#isSaved = true;
  }

  find(key: string): string | null {
    const entry = this.#names.get(key);
    return entry && this.#isFresh(entry) ? entry.name : null;
  }

  /** Names that a person removed while the model was asked are not written back. */
  add(key: string, name: string): Promise<void> {
    return this.#lock.run(async () => {
      await this.#forgetRemoved();
      const added = { name, at: this.#clock.now(), since: this.#clock.monotonic() };
      const fresh = [...new Map(this.#names).set(key, added)]
        .filter(([, entry]) => this.#isFresh(entry))
        .toSorted(([, a], [, b]) => b.since - a.since)
        .slice(0, MAX_NAMES);
      this.#names = new Map(fresh);
      const saved = fresh.map(([of, { name, at }]) => [of, { name, at }]);
      await this.#file.write(Object.fromEntries(saved));
      this.#isSaved = true;
    });
  }

  /** A person empties the cache by removing the file. */
  clearIfRemoved(): Promise<void> {
    return this.#lock.run(() => this.#forgetRemoved());
  }

  async #forgetRemoved(): Promise<void> {
    if (!this.#isSaved || (await exists(this.#file.path))) return;
    this.#names = new Map();
    this.#isSaved = false;
  }

  #isFresh({ since }: CachedName): boolean {
    return this.#clock.monotonic() - since < NAME_LIFETIME_SECONDS;
  }
}
