import { batch, signal } from "@preact/signals";
import type { Failure, Result } from "../../net/api.ts";

/** Something asked of the server for one panel: its last good value, and how the last try went. */
export class Resource<T> {
  readonly value = signal<T | null>(null);
  readonly failure = signal<Failure | null>(null);
  readonly isLoading = signal(false);
  /** How long the last answer took, in milliseconds. */
  readonly tookMs = signal<number | null>(null);
  readonly #ask: () => Promise<Result<T>>;
  readonly #onUnauthorized: () => void;

  constructor(ask: () => Promise<Result<T>>, onUnauthorized: () => void) {
    this.#ask = ask;
    this.#onUnauthorized = onUnauthorized;
  }

  /** Asks again; while an answer is awaited, nothing. */
  async load(): Promise<void> {
    if (this.isLoading.peek()) return;
    await this.take(this.#ask());
  }

  /** Waits for an answer that was asked for otherwise. */
  async take(answer: Promise<Result<T>>): Promise<void> {
    this.isLoading.value = true;
    const startedAt = performance.now();
    const result = await answer;
    batch(() => {
      this.isLoading.value = false;
      this.tookMs.value = performance.now() - startedAt;
      this.failure.value = result.ok ? null : result.failure;
      if (result.ok) this.value.value = result.value;
    });
    if (!result.ok && result.failure.kind === "unauthorized") this.#onUnauthorized();
  }

  clear(): void {
    this.value.value = null;
    this.failure.value = null;
  }
}
