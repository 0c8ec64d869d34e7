import { AppError, detailOf, type ErrorKind } from "../errors.ts";
import { sha256 } from "../lib/digest.ts";
import { canonicalJson } from "../lib/json.ts";
import type { StoredRequest } from "./store/act-store.ts";

/** Outcomes that memory holds in full; the least recently used is evicted first. */
const MAX_OUTCOMES = 1024;

/**
 * Identifies this run of the service. A page that was away must not take a retry for a first request:
 * a key `at:<incarnation>:<anything>` is valid in this run alone.
 */
export const INCARNATION: string = crypto.randomUUID();

/** Of a key `at:<incarnation>:<anything>`, else null. */
export const incarnationOf = (key: string): string | null => /^at:([^:]*):/.exec(key)?.[1] ?? null;

interface Entry {
  /** Of the request body. The body itself may be 1 MiB. */
  digest: string;
  outcome: Promise<unknown>;
  isRunning: boolean;
}

export interface RequestStore {
  /** @throws AppError where it cannot be told */
  find(key: string): Promise<StoredRequest | null>;
  finish(key: string, digest: string, outcome: string): void;
}

/** A retry gets the recorded outcome, a refusal included, over restarts too. */
export class IdempotencyCache {
  readonly #store: RequestStore;
  readonly #incarnation: string;
  readonly #entries = new Map<string, Entry>();

  constructor(store: RequestStore, incarnation: string = INCARNATION) {
    this.#store = store;
    this.#incarnation = incarnation;
  }

  /** Digest of the request that runs under this key now; null: none does. */
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
      // The one that was used last is the last.
      this.#entries.delete(key);
      this.#entries.set(key, known);
      if (known.digest !== digest) throw reused();
      // The cast holds: equal bodies have outcomes of one type.
      return known.outcome as Promise<T>;
    }
    // Stored before anything is awaited, so that a concurrent retry finds it.
    const outcome = this.#first(key, digest, work);
    const entry: Entry = { digest, outcome, isRunning: true };
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

  async #first<T>(key: string, digest: string, work: () => Promise<T>): Promise<T> {
    let kept: StoredRequest | null;
    try {
      kept = await this.#store.find(key);
      if (kept !== null && kept.digest !== digest) throw reused();
    } catch (error) {
      // The key is free, or known by the first body.
      this.#entries.delete(key);
      throw error;
    }
    // The cast holds: equal bodies have outcomes of one type.
    if (kept !== null) return again(kept.outcome) as T;
    try {
      const value = await work();
      this.#store.finish(key, digest, JSON.stringify({ value: value ?? null } satisfies Outcome));
      return value;
    } catch (error) {
      this.#store.finish(key, digest, refusalText(error));
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

/** A refusal without what it found in its pane: that may be megabytes, and is old at a repeat. */
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

const reused = () =>
  conflict("idempotency_key_reused", "this idempotency key was used for another request");

/** What a request came to, as it is kept: of a refusal what the log is told, which quotes nobody. */
type Outcome =
  | { value: unknown }
  | { refused: { kind: ErrorKind; message: string; reason?: string; code?: string } | null };

function refusalText(error: unknown): string {
  if (!(error instanceof AppError)) return JSON.stringify({ refused: null });
  const { kind, message } = error;
  const code = memberOf(error, "code");
  const reason = memberOf(error, "reason");
  return JSON.stringify({
    refused: { kind, message, ...(code ? { code, reason: reason === code ? code : message } : {}) },
  } satisfies Outcome);
}

/** @throws what the first request was refused with */
function again(text: string | null): unknown {
  if (text === null)
    throw conflict("delivery_unknown", "it may have arrived before a restart", {
      message: "The service ended while this was sent. Look at the terminal first.",
    });
  // Written by this file alone, in this very shape.
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
