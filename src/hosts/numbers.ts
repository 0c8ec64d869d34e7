import { z } from "zod";
import { Mutex } from "../lib/lock.ts";
import { type JsonStore, readStored } from "../lib/stored-json.ts";

/** Below the state directory. */
export const HOST_NUMBERS_FILE = "panewatch-hosts.json";

const Saved = z.object({
  version: z.literal(1),
  numbers: z.record(z.string(), z.int().positive()),
});

/**
 * The number of each host, from which the ids of its panes are made: given out once for each name,
 * and never again for another one.
 */
export class HostNumbers {
  readonly #file: JsonStore;
  readonly #lock = new Mutex();
  #numbers: Readonly<Record<string, number>> | null = null;

  constructor(file: JsonStore) {
    this.#file = file;
  }

  /** @throws UnreadableError, UnwritableError: then there is no number */
  of(name: string): Promise<number> {
    return this.#lock.run(async () => {
      const known = (this.#numbers ??= (await readStored(this.#file, Saved))?.numbers ?? {});
      const number = known[name];
      if (number !== undefined) return number;
      const next = Math.max(0, ...Object.values(known)) + 1;
      const numbers = { ...known, [name]: next };
      await this.#file.write({ version: 1, numbers });
      this.#numbers = numbers;
      return next;
    });
  }
}
