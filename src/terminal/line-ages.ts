import type { PaneState } from "../protocol/pane.ts";

export interface LineAgesDeps {
  hub: {
    subscribe(listener: (snapshot: { at: number; panes: readonly PaneState[] }) => void): unknown;
  };
}

/** When each line of each pane was first seen, so that an explanation can tell old from new. */
export class LineAges {
  #panes = new Map<string, { lines: readonly string[]; since: Map<string, number> }>();

  constructor({ hub }: LineAgesDeps) {
    hub.subscribe(({ panes, at }) => {
      this.#panes = new Map(panes.map((pane) => [pane.id, this.#noted(pane, at)]));
    });
  }

  /** Epoch seconds; null for a line that is not in the newest snapshot of the pane. */
  firstSeen(id: string, line: string): number | null {
    return this.#panes.get(id)?.since.get(line) ?? null;
  }

  #noted({ id, lines }: PaneState, at: number) {
    const before = this.#panes.get(id);
    if (before && before.lines === lines) return before;
    return { lines, since: new Map(lines.map((line) => [line, before?.since.get(line) ?? at])) };
  }
}
