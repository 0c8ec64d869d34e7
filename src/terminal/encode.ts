import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { PaneState } from "../protocol/pane.ts";

const compress = promisify(gzip);

/**
 * The text of a full state: of a snapshot once for all who get it, and of a pane once for as long
 * as it does not change.
 */
export class StateEncoder {
  readonly #texts = new WeakMap<PaneState, string>();
  #last: { panes: readonly PaneState[]; text: string } | null = null;
  #packed: { panes: readonly PaneState[]; bytes: Promise<Uint8Array<ArrayBuffer>> } | null = null;

  encode({ panes }: { panes: readonly PaneState[] }): string {
    if (this.#last?.panes === panes) return this.#last.text;
    const text = `{"type":"state","panes":[${panes.map((pane) => this.#text(pane)).join(",")}]}`;
    this.#last = { panes, text };
    return text;
  }

  /** Terminal text shrinks to a tenth; the fastest level does that without delaying a pass. */
  gzipped(snapshot: { panes: readonly PaneState[] }): Promise<Uint8Array<ArrayBuffer>> {
    const { panes } = snapshot;
    if (this.#packed?.panes === panes) return this.#packed.bytes;
    const bytes = compress(this.encode(snapshot), { level: 1 });
    this.#packed = { panes, bytes };
    return bytes;
  }

  #text(pane: PaneState): string {
    let text = this.#texts.get(pane);
    if (text === undefined) this.#texts.set(pane, (text = JSON.stringify(pane)));
    return text;
  }
}
