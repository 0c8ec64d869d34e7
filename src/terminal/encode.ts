import type { PaneState } from "../protocol/pane.ts";

/**
 * The text of a full state: of a snapshot once for all who get it, and of a pane once for as long
 * as it does not change.
 */
export class StateEncoder {
  readonly #texts = new WeakMap<PaneState, string>();
  #last: { panes: readonly PaneState[]; text: string } | null = null;

  encode({ panes }: { panes: readonly PaneState[] }): string {
    if (this.#last?.panes === panes) return this.#last.text;
    const text = `{"type":"state","panes":[${panes.map((pane) => this.#text(pane)).join(",")}]}`;
    this.#last = { panes, text };
    return text;
  }

  #text(pane: PaneState): string {
    let text = this.#texts.get(pane);
    if (text === undefined) this.#texts.set(pane, (text = JSON.stringify(pane)));
    return text;
  }
}
