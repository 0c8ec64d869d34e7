import { reasonOf, type Failure, type Result } from "../../net/api.ts";

/** How long after a lost reply it is asked for again, each after the one before. */
const AGAIN_AFTER_MS = [300, 1000, 2500, 4000] as const;

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

  async send<T>(call: (key: string) => Promise<Result<T>>): Promise<Result<T>> {
    const { incarnation, uuid } = this.#deps;
    const known = incarnation();
    const key = known === null ? uuid() : `at:${known}:${uuid()}`;
    const first = await call(key);
    if (known === null || first.ok || first.failure.kind !== "lost") return first;
    for (const pause of AGAIN_AFTER_MS) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const again = await call(key);
      if (again.ok || saysWhatBecame(again.failure)) return again;
    }
    return first;
  }
}

/** Whether a failure is that of the first request, and not one of asking again. */
function saysWhatBecame(failure: Failure): boolean {
  return failure.kind === "refused" && !reasonOf(failure).startsWith("idempotency_key_");
}
