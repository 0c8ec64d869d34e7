import { signal, type Signal } from "@preact/signals";
import { expectedOf, NO_PROMPT } from "../model/guard.ts";
import { isGuarded, takesInput, waits, type Pane } from "../model/pane.ts";
import { reasonOf, type Api, type Result } from "../net/api.ts";
import type { Panes } from "./panes.ts";

export interface InputDeps {
  readonly api: Api;
  readonly panes: Panes;
  readonly connected: () => boolean;
  readonly refresh: () => Promise<boolean>;
  readonly hasGuard: () => boolean;
  readonly onUnauthorized: () => void;
  readonly uuid: () => string;
}

/** How a key or a text fared, for the words under the composer. */
export type Delivery =
  | { readonly step: "sending" }
  | { readonly step: "sent" }
  /** It may have arrived. */
  | { readonly step: "uncertain" }
  /** A prompt appeared or changed; nothing was sent. */
  | { readonly step: "prompt_changed" }
  | { readonly step: "refused"; readonly reason: string };

/** Keys and composer texts. Each goes out once, with what was on the screen when it was pressed. */
export class Input {
  readonly #deps: InputDeps;
  readonly #deliveries = new Map<string, Signal<Delivery | null>>();
  /** Keys of one pane leave one after another. */
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(deps: InputDeps) {
    this.#deps = deps;
  }

  of(id: string): Signal<Delivery | null> {
    const known = this.#deliveries.get(id);
    if (known !== undefined) return known;
    const delivery = signal<Delivery | null>(null);
    this.#deliveries.set(id, delivery);
    return delivery;
  }

  canSend(pane: Pane): boolean {
    return this.#deps.connected() && takesInput(pane);
  }

  /** Sends one named key to the pane as it was shown. */
  key(shown: Pane, key: string): Promise<Delivery> {
    return this.#inTurn(shown.id, () =>
      this.#send(shown, () => {
        if (isGuarded(shown)) return this.#deps.api.guarded(this.#guarded(shown, "key", { key }));
        return this.#deps.api.key(shown.id, key, this.#expected(shown));
      }),
    );
  }

  /**
   * Sends a text with Enter. Over a prompt it answers that prompt as it was shown; without one the
   * server refuses it when a prompt has appeared meanwhile.
   */
  text(shown: Pane, text: string): Promise<Delivery> {
    return this.#inTurn(shown.id, () =>
      this.#send(shown, () => {
        if (isGuarded(shown))
          return this.#deps.api.guarded(this.#guarded(shown, "text", { text, enter: true }));
        return this.#deps.api.text(shown.id, text, true, this.#expected(shown));
      }),
    );
  }

  #expected(shown: Pane) {
    if (!this.#deps.hasGuard()) return undefined;
    return waits(shown) ? expectedOf(shown) : NO_PROMPT;
  }

  #guarded(shown: Pane, operation: string, rest: Readonly<Record<string, unknown>>) {
    return {
      id: shown.id,
      operation,
      expected: shown.action_guard,
      idempotency_key: this.#deps.uuid(),
      ...rest,
    };
  }

  #inTurn(id: string, run: () => Promise<Delivery>): Promise<Delivery> {
    const turn = (this.#tails.get(id) ?? Promise.resolve()).then(run, run);
    this.#tails.set(id, turn);
    return turn;
  }

  async #send(shown: Pane, call: () => Promise<Result<unknown>>): Promise<Delivery> {
    const delivery = this.of(shown.id);
    const latest = this.#deps.panes.latest(shown.id);
    if (latest === null || !this.canSend(latest))
      return (delivery.value = { step: "refused", reason: "" });
    delivery.value = { step: "sending" };
    const result = await call();
    return (delivery.value = this.#read(result));
  }

  #read(result: Result<unknown>): Delivery {
    if (result.ok) return { step: "sent" };
    const { failure } = result;
    const reason = reasonOf(failure);
    if (failure.kind === "lost" || reason.endsWith("delivery_unknown"))
      return { step: "uncertain" };
    if (failure.kind === "unauthorized") {
      this.#deps.onUnauthorized();
      return { step: "refused", reason: "" };
    }
    void this.#deps.refresh();
    if (reason === "prompt_changed" || reason === "options_changed")
      return { step: "prompt_changed" };
    return { step: "refused", reason };
  }
}
