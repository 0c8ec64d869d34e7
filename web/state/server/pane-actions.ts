import { expectedOf, guardOf, NO_PROMPT } from "../../model/guard.ts";
import { isGuarded, waits, type MenuOption, type Pane } from "../../model/pane.ts";
import type { Api, Pass, Result } from "../../net/api.ts";
import type { Once } from "./once.ts";

/** What is sent to a pane. */
export type PaneAction =
  | { readonly do: "select"; readonly option: MenuOption; readonly text: string | null }
  /** A text with Enter. */
  | { readonly do: "text"; readonly text: string }
  | { readonly do: "key"; readonly key: string };

export interface PaneActionsDeps {
  readonly api: Api;
  readonly once: Once;
  /** Whether the server compares what a legacy action expects. */
  readonly hasGuard: () => boolean;
}

/**
 * The one way of an action to a pane: with the guard that was on the screen, never a newer one, and by
 * the route that the pane takes. A guarded pane is never acted on by a legacy route.
 */
export class PaneActions {
  readonly #deps: PaneActionsDeps;

  constructor(deps: PaneActionsDeps) {
    this.#deps = deps;
  }

  /** `shown`: the pane as the person saw it. */
  send(pass: Pass, shown: Pane, action: PaneAction): Promise<Result<unknown>> {
    const run = isGuarded(shown) ? this.#guarded : this.#legacy;
    return this.#deps.once.send((key, signal) => run.call(this, pass, shown, action, key, signal));
  }

  #legacy(
    pass: Pass,
    shown: Pane,
    action: PaneAction,
    idempotency_key: string,
    signal: AbortSignal,
  ): Promise<Result<unknown>> {
    const { api, hasGuard } = this.#deps;
    const { id } = shown;
    const seen = action.do === "select" || waits(shown) ? expectedOf(shown) : NO_PROMPT;
    const expected = hasGuard() ? seen : undefined;
    const common = { id, expected, idempotency_key };
    if (action.do === "key") return api.key(pass, { ...common, key: action.key }, signal);
    if (action.do === "text")
      return api.text(pass, { ...common, text: action.text, enter: true }, signal);
    const { option, text } = action;
    return api.select(pass, { ...common, key: option.key, text: text ?? undefined }, signal);
  }

  /** Rejects where the pane was shown without a guard: nothing may leave for it. */
  async #guarded(
    pass: Pass,
    shown: Pane,
    action: PaneAction,
    idempotency_key: string,
    signal: AbortSignal,
  ): Promise<Result<unknown>> {
    const { api } = this.#deps;
    const { id, action_guard: guard } = shown;
    if (guard === null) throw new Error(`no guard was shown for ${id}`);
    const common = { id, operation: action.do, idempotency_key };
    if (action.do === "text")
      return api.input(
        pass,
        { ...common, expected: guard, text: action.text, enter: true },
        signal,
      );
    if (action.do === "key") {
      const expected = guardOf(shown, guard, action.key);
      return api.input(pass, { ...common, expected, key: action.key }, signal);
    }
    return api.input(pass, { ...common, expected: guard, option_id: action.option.id }, signal);
  }
}
