import { signal, type Signal } from "@preact/signals";
import {
  judgePress,
  promptOf,
  steadyMs,
  type PressTimes,
  type Verdict,
} from "../../model/guard.ts";
import { canWrite, takesKey, type Pane } from "../../model/pane.ts";
import { isUncertain, reasonOf, type Pass, type Result } from "../../net/api.ts";
import type { PaneActions } from "./pane-actions.ts";
import type { PaneGate } from "./pane-gate.ts";
import type { Panes } from "./panes.ts";

export interface InputDeps {
  readonly actions: PaneActions;
  readonly panes: Panes;
  readonly gate: PaneGate;
  readonly nowMs: () => number;
  readonly connected: () => boolean;
  readonly refresh: () => Promise<boolean>;
  readonly onUnauthorized: () => void;
}

/** A key or Send was pressed over the pane as it was shown. */
export interface KeyPress extends PressTimes {
  readonly shown: Pane;
}

/** How a key or a text fared, for the words under the composer. */
export type Delivery =
  | { readonly step: "sending" }
  | { readonly step: "sent" }
  /** It may have arrived: nothing more is sent until the person has looked at the terminal. */
  | { readonly step: "uncertain" }
  /** A prompt appeared or changed; nothing was sent. */
  | { readonly step: "prompt_changed" }
  /** The screen came or moved within the shield; nothing was sent. */
  | { readonly step: "moved" }
  | { readonly step: "refused"; readonly reason: string };

/** One thing to send: how it goes out, and what it is called. */
interface Parcel {
  readonly label: string;
  readonly isTaken: (pane: Pane) => boolean;
  readonly call: (pass: Pass) => Promise<Result<unknown>>;
}

/** Keys and composer texts. Each goes out once, with what was on the screen when it was pressed. */
export class Input {
  readonly #deps: InputDeps;
  readonly #deliveries = new Map<string, Signal<Delivery | null>>();
  /** The last of the keys of one pane that are still to leave, one after another. */
  readonly #tails = new Map<string, Promise<Delivery>>();

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

  /** The words about the last text no longer fit. */
  forget(id: string): void {
    this.of(id).value = null;
  }

  clear(): void {
    for (const delivery of this.#deliveries.values()) delivery.value = null;
  }

  /** Sends one named key to the pane as it was shown. */
  key(press: KeyPress, key: string): Promise<Delivery> {
    const { shown } = press;
    return this.#inTurn(press, {
      label: key,
      isTaken: (pane) => takesKey(pane, key),
      call: (pass) => this.#deps.actions.send(pass, shown, { do: "key", key }),
    });
  }

  /**
   * Sends a text with Enter. Over a prompt it answers that prompt as it was shown; without one the
   * server refuses it when a prompt has appeared meanwhile.
   */
  text(press: KeyPress, text: string): Promise<Delivery> {
    const { shown } = press;
    return this.#inTurn(press, {
      label: text,
      isTaken: canWrite,
      call: (pass) => this.#deps.actions.send(pass, shown, { do: "text", text }),
    });
  }

  /** What was pressed while an earlier key was on its way is dropped when that one did not arrive. */
  #inTurn(press: KeyPress, parcel: Parcel): Promise<Delivery> {
    const { id } = press.shown;
    const steady = steadyMs(press, this.#deps.nowMs());
    const run = () => this.#send(press.shown, steady, parcel);
    const before = this.#tails.get(id);
    const turn =
      before === undefined
        ? run()
        : before.then((delivery) => (delivery.step === "sent" ? run() : delivery));
    this.#tails.set(id, turn);
    void turn.finally(() => {
      if (this.#tails.get(id) === turn) this.#tails.delete(id);
    });
    return turn;
  }

  async #send(shown: Pane, steady: number, parcel: Parcel): Promise<Delivery> {
    const { gate } = this.#deps;
    const delivery = this.of(shown.id);
    const claim = gate.claim([shown.id], parcel.label);
    if (claim === null) {
      if (gate.isDoubted(shown.id)) return { step: "uncertain" };
      return (delivery.value = { step: "refused", reason: "" });
    }
    delivery.value = { step: "sending" };
    let verdict = this.#judge(shown, steady, parcel);
    if (verdict === "preflight") {
      const isFresh = await this.#deps.refresh();
      verdict = isFresh ? this.#judge(shown, steady, parcel) : "read_only";
    }
    if (verdict !== "send") {
      claim.release();
      if (verdict === "changed") return (delivery.value = { step: "prompt_changed" });
      if (verdict === "moved") return (delivery.value = { step: "moved" });
      return (delivery.value = { step: "refused", reason: "" });
    }
    const outcome = this.#read(await claim.send(parcel.call));
    // A doubt is the pane's, and stays beyond this text.
    delivery.value = outcome.step === "uncertain" ? null : outcome;
    return outcome;
  }

  #judge(shown: Pane, steady: number, parcel: Parcel): Verdict {
    const latest = this.#deps.panes.latest(shown.id);
    return judgePress({
      pressed: promptOf(shown),
      latest: latest === null ? null : promptOf(latest),
      isTaken: latest !== null && parcel.isTaken(latest),
      connected: this.#deps.connected(),
      steadyMs: steady,
      snapshotAgeMs: this.#deps.panes.ageMs(),
    });
  }

  #read(result: Result<unknown>): Delivery {
    if (result.ok) return { step: "sent" };
    const { failure } = result;
    if (isUncertain(failure)) return { step: "uncertain" };
    if (failure.kind === "unauthorized") {
      this.#deps.onUnauthorized();
      return { step: "refused", reason: "" };
    }
    void this.#deps.refresh();
    const reason = reasonOf(failure);
    if (reason === "prompt_changed" || reason === "options_changed")
      return { step: "prompt_changed" };
    return { step: "refused", reason };
  }
}
