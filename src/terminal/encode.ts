import type { Card } from "../protocol/cards.ts";
import type { HostState } from "../protocol/hosts.ts";
import type { PaneState } from "../protocol/pane.ts";

export interface EncodedState {
  panes: readonly PaneState[];
  hosts?: readonly HostState[] | undefined;
}

/** Encodes each state once for all its receivers, and each pane for as long as it is the same object. */
export class StateEncoder {
  readonly #texts = new WeakMap<PaneState, string>();
  #last: (EncodedState & { text: string }) | null = null;
  #withCards: { state: string; cards: readonly Card[]; text: string } | null = null;

  encode({ panes, hosts }: EncodedState): string {
    if (this.#last?.panes === panes && this.#last.hosts === hosts) return this.#last.text;
    const machines = hosts ? `,"hosts":${JSON.stringify(hosts)}` : "";
    const list = panes.map((pane) => this.#text(pane)).join(",");
    const text = `{"type":"state","panes":[${list}]${machines}}`;
    this.#last = { panes, hosts, text };
    return text;
  }

  encodeWith(cards: readonly Card[], snapshot: EncodedState): string {
    const state = this.encode(snapshot);
    if (this.#withCards?.state !== state || this.#withCards.cards !== cards) {
      const text = `${state.slice(0, -1)},"cards":${JSON.stringify(cards)}}`;
      this.#withCards = { state, cards, text };
    }
    return this.#withCards.text;
  }

  #text(pane: PaneState): string {
    let text = this.#texts.get(pane);
    if (text === undefined) this.#texts.set(pane, (text = JSON.stringify(pane)));
    return text;
  }
}
