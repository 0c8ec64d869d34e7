import { AppError } from "../errors.ts";
import { sha256 } from "../lib/digest.ts";
import { canonicalJson } from "../lib/json.ts";

/** Outcomes that are kept; the least recently asked for goes first. */
const MAX_OUTCOMES = 1024;

/**
 * Of this process. What was done before a restart is forgotten: a client that asks again must not be
 * taken for one that asks first, so a key `at:<incarnation>:<anything>` counts in this run alone.
 */
export const INCARNATION: string = crypto.randomUUID();

interface Entry {
  /** Of the body: bodies may be long, and a thousand entries stay for as long as the service runs. */
  digest: string;
  outcome: Promise<unknown>;
  isRunning: boolean;
}

/**
 * Lets each request with a key happen once: whoever lost the reply asks again and gets the same
 * outcome, a refusal as well. In memory only: after a restart every key is new.
 */
export class Once {
  readonly #incarnation: string;
  readonly #entries = new Map<string, Entry>();

  constructor(incarnation: string = INCARNATION) {
    this.#incarnation = incarnation;
  }

  /**
   * Begins `work` unless this key has been used. `body` is everything that was asked for, plain, and
   * decides the type of the outcome: it names the operation.
   * @throws AppError `conflict` with `idempotency_key_reused` when the key came with another body,
   * `idempotency_key_expired` when it is of another incarnation; else whatever the first run threw
   */
  async run<T>(key: string, body: unknown, work: () => Promise<T>): Promise<T> {
    if (key.startsWith("at:") && !key.startsWith(`at:${this.#incarnation}:`)) throw expired();
    const digest = sha256(canonicalJson(body)).toString("base64");
    const known = this.#entries.get(key);
    if (known) {
      this.#touch(key, known);
      if (known.digest !== digest) throw reused();
      // Of an equal body, so of this type.
      return known.outcome as Promise<T>;
    }
    // Reserved before anything is awaited: a twin that comes now finds it.
    const outcome = Promise.resolve().then(work);
    const entry: Entry = { digest, outcome, isRunning: true };
    this.#entries.set(key, entry);
    const end = () => {
      entry.isRunning = false;
      this.#forgetOldest();
    };
    outcome.then(end, end);
    return outcome;
  }

  #touch(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
  }

  // What still runs stays, however many there are: its twin may come.
  #forgetOldest(): void {
    let excess = this.#entries.size - MAX_OUTCOMES;
    for (const [key, { isRunning }] of this.#entries) {
      if (excess <= 0) return;
      if (isRunning) continue;
      this.#entries.delete(key);
      excess--;
    }
  }
}

function expired(): AppError {
  const code = "idempotency_key_expired";
  return new AppError("conflict", "the service was restarted since this key was made", {
    reason: code,
    code,
  });
}

function reused(): AppError {
  const code = "idempotency_key_reused";
  return new AppError("conflict", "this idempotency key was used for another request", {
    reason: code,
    code,
  });
}
