import { reasonOf, type Failure, type Result } from "../../net/api.ts";

/** How long after a lost reply it is asked for again, each after the one before. */
const AGAIN_AFTER_MS = [300, 1000, 2500, 4000] as const;
/** One try on a network that hangs. */
const TRY_MS = 4000;
/** All tries of one action: after that a person is told that nobody knows. */
export const SEND_DEADLINE_MS = 10_000;

export interface OnceDeps {
  /** Of the server that remembers keys; null where none of them does. */
  readonly incarnation: () => string | null;
  readonly uuid: () => string;
}

/**
 * Actions that happen once, however often they are asked for. A reply that is lost on its way is asked
 * for again under the same key, and says what became of the first request. The key names the run of
 * the server that it was made for: after a restart nobody remembers it, and nothing is sent.
 */
export class Once {
  readonly #deps: OnceDeps;

  constructor(deps: OnceDeps) {
    this.#deps = deps;
  }

  /** Of one action, in the run of the server that it is made for. */
  newKey(): string {
    const { incarnation, uuid } = this.#deps;
    const known = incarnation();
    return known === null ? uuid() : `at:${known}:${uuid()}`;
  }

  /** `deadlineMs`: for all tries together. */
  async send<T>(
    call: (key: string, signal: AbortSignal) => Promise<Result<T>>,
    deadlineMs = SEND_DEADLINE_MS,
    key = this.newKey(),
  ): Promise<Result<T>> {
    const known = this.#deps.incarnation();
    const deadline = new Timeout(deadlineMs);
    const attempt = async () => {
      const timeout = new Timeout(known === null ? deadlineMs : TRY_MS);
      const result = await call(key, AbortSignal.any([deadline.signal, timeout.signal]));
      timeout.clear();
      return result;
    };
    try {
      const first = await attempt();
      if (known === null || first.ok || first.failure.kind !== "lost") return first;
      for (const pause of AGAIN_AFTER_MS) {
        if (!deadline.signal.aborted) await deadline.orAfter(pause);
        if (deadline.signal.aborted) break;
        const again = await attempt();
        if (again.ok || saysWhatBecame(again.failure)) return again;
      }
      return first;
    } finally {
      deadline.clear();
    }
  }
}

/** `AbortSignal.timeout` that can be cleared. */
class Timeout {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves after so many milliseconds, and at the timeout if that comes first. */
  orAfter(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** Whether a failure is that of the first request, and not one of asking again. */
function saysWhatBecame(failure: Failure): boolean {
  return failure.kind === "refused" && !reasonOf(failure).startsWith("idempotency_key_");
}
