import { batch, signal } from "@preact/signals";
import type { Failure, Result } from "../../net/api.ts";

/** Invalidations come in bursts: what they are about is asked for once. */
const INVALIDATED_MS = 100;

/** Something asked of the server: its last good value, and how the last try went. */
export class Resource<T> {
  readonly value = signal<T | null>(null);
  readonly failure = signal<Failure | null>(null);
  readonly isLoading = signal(false);
  /** The server has another value by now; it is asked for, or will be. */
  readonly isOld = signal(false);
  /** How long the last answer took, in milliseconds. */
  readonly tookMs = signal<number | null>(null);
  readonly #ask: (signal: AbortSignal) => Promise<Result<T>>;
  readonly #onUnauthorized: () => void;
  /** The question whose answer counts. */
  #asking: AbortController | null = null;
  #invalidated: ReturnType<typeof setTimeout> | undefined;

  constructor(ask: (signal: AbortSignal) => Promise<Result<T>>, onUnauthorized: () => void) {
    this.#ask = ask;
    this.#onUnauthorized = onUnauthorized;
  }

  /** Asks; while an answer is awaited, nothing. */
  async load(): Promise<void> {
    if (this.#asking === null) await this.reload();
  }

  /** Asks anew: the answer to an earlier question is about something else, and dropped. */
  reload(): Promise<void> {
    return this.take((signal) => this.#ask(signal));
  }

  /** Takes the answer to another question that gives the same. */
  async take(ask: (signal: AbortSignal) => Promise<Result<T>>): Promise<void> {
    this.#drop();
    const asking = (this.#asking = new AbortController());
    this.isLoading.value = true;
    const startedAt = performance.now();
    const result = await ask(asking.signal);
    if (this.#asking !== asking) return;
    this.#asking = null;
    batch(() => {
      this.isLoading.value = false;
      this.tookMs.value = performance.now() - startedAt;
      this.failure.value = result.ok ? null : result.failure;
      if (!result.ok) return;
      this.value.value = result.value;
      this.isOld.value = false;
    });
    if (!result.ok && result.failure.kind === "unauthorized") this.#onUnauthorized();
  }

  /** The server says that its value has changed; a value that nobody has asked for stays unasked. */
  invalidate(): void {
    if (this.value.peek() === null && this.#asking === null) return;
    this.isOld.value = true;
    clearTimeout(this.#invalidated);
    this.#invalidated = setTimeout(() => void this.reload(), INVALIDATED_MS);
  }

  clear(): void {
    this.#drop();
    batch(() => {
      this.isLoading.value = false;
      this.isOld.value = false;
      this.value.value = null;
      this.failure.value = null;
    });
  }

  #drop(): void {
    clearTimeout(this.#invalidated);
    this.#asking?.abort();
    this.#asking = null;
  }
}
