import type { Log } from "../lib/log.ts";
import type { ProviderHealth } from "../protocol/config.ts";
import { printable } from "./printable.ts";
import { ProviderError } from "./provider.ts";

const MAX_ERROR_CHARS = 300;
const MAX_TOLD_CAUSES = 8;

type Health = Pick<ProviderHealth, "status" | "last_success_at" | "last_error" | "message">;

/** What the last passes say of the multiplexer; each cause of a failure is logged once. */
export class PassHealth {
  readonly #log: Log;
  /** Causes that were logged since the last good pass. */
  readonly #told = new Set<string>();
  #current: Health = { status: "unavailable", last_success_at: 0, last_error: null };

  constructor(log: Log) {
    this.#log = log;
  }

  get current(): Health {
    return this.#current;
  }

  /** A pass succeeded; `caution` is why the panes are shown but not answered. */
  succeeded(at: number, caution: ProviderError | null): void {
    if (this.#told.size > 0) this.#log.info("the multiplexer answers again");
    this.#told.clear();
    this.#current = {
      status: caution?.health ?? "ready",
      last_success_at: at,
      last_error: caution?.lastError ?? null,
      ...(caution ? { message: caution.message } : {}),
    };
  }

  failed(error: unknown): void {
    const isTold = error instanceof ProviderError;
    const message = shown(error instanceof Error ? error.message : String(error));
    const last_error = isTold ? shown(error.lastError) : message;
    // A multiplexer that is away for a night fills no log.
    if (!this.#told.has(last_error) && this.#told.size < MAX_TOLD_CAUSES) {
      this.#told.add(last_error);
      this.#log.warn(`a pass failed, the last snapshot stays: ${message}`);
    }
    const status = isTold ? error.health : "degraded";
    this.#current = { ...this.#current, status, last_error, message };
  }
}

const shown = (text: string): string => printable(text).slice(0, MAX_ERROR_CHARS);
