import { AppError } from "../errors.ts";
import { sha256 } from "../lib/digest.ts";
import { canonicalJson } from "../lib/json.ts";

/** Outcomes that are kept; the least recently used is evicted first. */
const MAX_OUTCOMES = 1024;

/**
 * Identifies this run of the service. Outcomes do not survive a restart, and a retry must not be
 * taken for a first request: a key `at:<incarnation>:<anything>` is valid in this run alone.
 */
export const INCARNATION: string = crypto.randomUUID();

interface Entry {
  /** Of the request body. The body itself may be 1 MiB, and entries live as long as the service. */
  digest: string;
  outcome: Promise<unknown>;
  isRunning: boolean;
}

/**
 * Runs each request with an idempotency key once: a retry gets the recorded outcome, a refusal
 * included. In memory only.
 */
export class Once {
  readonly #incarnation: string;
  readonly #entries = new Map<string, Entry>();

  constructor(incarnation: string = INCARNATION) {
    this.#incarnation = incarnation;
  }

  /**
   * Runs `work` unless this key has been used. `body` is the whole request as a plain value, the
   * operation included, so that equal bodies have outcomes of one type.
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
      // The cast holds: equal bodies have outcomes of one type.
      return known.outcome as Promise<T>;
    }
    // Stored before anything is awaited, so that a concurrent retry finds it.
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

  // Running requests are never evicted: a retry may come while they run.
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
