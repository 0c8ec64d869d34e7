import { AppError, detailOf, type ErrorKind } from "../errors.ts";
import { sha256 } from "../lib/digest.ts";
import { canonicalJson } from "../lib/json.ts";
import type { StoredRequest } from "./store/act-store.ts";

/** In memory; the least recently used is evicted first. */
const MAX_OUTCOMES = 1024;

/**
 * Identifies this run of the service: a key `at:<incarnation>:<anything>` is valid in this run alone,
 * so that the retry of a page that was away is never taken for a first request.
 */
export const INCARNATION: string = crypto.randomUUID();

export const incarnationOf = (key: string): string | null => /^at:([^:]*):/.exec(key)?.[1] ?? null;

interface Entry {
  /** Of the request body, which itself may be 1 MiB. */
  digest: string;
  outcome: Promise<unknown>;
  isRunning: boolean;
}

export interface RequestStore {
  /** @throws AppError where the store cannot be read */
  find(key: string): Promise<StoredRequest | null>;
  finish(key: string, digest: string, outcome: string): void;
}

/** A retry gets the outcome of the first request, a refusal included, over restarts too. */
export class IdempotencyCache {
  readonly #store: RequestStore;
  readonly #incarnation: string;
  readonly #entries = new Map<string, Entry>();

  constructor(store: RequestStore, incarnation: string = INCARNATION) {
    this.#store = store;
    this.#incarnation = incarnation;
  }

  /** Digest of the request that runs under this key now. */
  runningUnder(key: string): string | null {
    const entry = this.#entries.get(key);
    return entry?.isRunning ? entry.digest : null;
  }

  /**
   * Runs `work` unless this key has been used. `body` is the whole request as a plain value, the
   * operation included, so that equal bodies have outcomes of one type.
   * @throws AppError `conflict` with `idempotency_key_reused` when the key came with another body,
   * `idempotency_key_expired` when it is of another incarnation; else whatever the first run threw
   */
  async run<T>(key: string, body: unknown, work: () => Promise<T>): Promise<T> {
    if (key.startsWith("at:") && incarnationOf(key) !== this.#incarnation)
      throw conflict(
        "idempotency_key_expired",
        "the service was restarted since this key was made",
      );
    const digest = sha256(canonicalJson(body)).toString("base64");
    const known = this.#entries.get(key);
    if (known) {
      // Moved to the end: the first one is evicted first.
      this.#entries.delete(key);
      this.#entries.set(key, known);
      if (known.digest !== digest) throw keyReused();
      // The cast holds: equal bodies have outcomes of one type.
      return known.outcome as Promise<T>;
    }
    const outcome = this.#runFirst(key, digest, work);
    const entry: Entry = { digest, outcome, isRunning: true };
    // Before anything is awaited, so that a concurrent retry finds it.
    this.#entries.set(key, entry);
    const end = () => {
      entry.isRunning = false;
      this.#forgetOldest();
    };
    outcome.then(end, (error: unknown) => {
      entry.outcome = Promise.reject(withoutPane(error));
      entry.outcome.catch(() => {});
      end();
    });
    return outcome;
  }

  async #runFirst<T>(key: string, digest: string, work: () => Promise<T>): Promise<T> {
    let stored: StoredRequest | null;
    try {
      stored = await this.#store.find(key);
      if (stored !== null && stored.digest !== digest) throw keyReused();
    } catch (error) {
      // Nothing ran: the next request may use the key.
      this.#entries.delete(key);
      throw error;
    }
    // The cast holds: equal bodies have outcomes of one type.
    if (stored !== null) return replay(stored.outcome) as T;
    try {
      const value = await work();
      this.#store.finish(key, digest, JSON.stringify({ value: value ?? null } satisfies Outcome));
      return value;
    } catch (error) {
      this.#store.finish(key, digest, encodeRefusal(error));
      throw error;
    }
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

/** The pane in a refusal may be megabytes, and is out of date at a retry. */
function withoutPane(error: unknown): unknown {
  const { current, ...detail } = detailOf(error);
  const isPane = typeof current === "object" && current !== null && "lines" in current;
  return error instanceof AppError && isPane
    ? new AppError(error.kind, error.message, detail)
    : error;
}

function conflict(code: string, logged: string, more: { message?: string } = {}): AppError {
  return new AppError("conflict", logged, { reason: code, code, ...more });
}

const keyReused = () =>
  conflict("idempotency_key_reused", "this idempotency key was used for another request");

/** As it is stored: of a refusal the message for the log, which quotes nobody. */
type Outcome =
  | { value: unknown }
  | { refused: { kind: ErrorKind; message: string; reason?: string; code?: string } | null };

function encodeRefusal(error: unknown): string {
  if (!(error instanceof AppError)) return JSON.stringify({ refused: null });
  const { kind, message } = error;
  const code = memberOf(error, "code");
  const reason = memberOf(error, "reason");
  return JSON.stringify({
    refused: { kind, message, ...(code ? { code, reason: reason === code ? code : message } : {}) },
  } satisfies Outcome);
}

/** @throws what the first request was refused with */
function replay(text: string | null): unknown {
  if (text === null)
    throw conflict("delivery_unknown", "it may have arrived before a restart", {
      message: "The service ended while this was sent. Look at the terminal first.",
    });
  // Only `runFirst` and `encodeRefusal` write this text.
  const outcome = JSON.parse(text) as Outcome;
  if ("value" in outcome) return outcome.value;
  if (outcome.refused === null) throw new Error("the first request under this key failed");
  const { kind, message, ...detail } = outcome.refused;
  throw new AppError(kind, message, "code" in detail ? { ...detail, message } : message);
}

export function refusalReason(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return (error instanceof AppError ? memberOf(error, "code") : null) ?? error.message;
}

function memberOf(error: AppError, name: "code" | "reason"): string | null {
  const value = detailOf(error)[name];
  return typeof value === "string" ? value : null;
}
