import type { Run, ScreenLine } from "../detect/screen.ts";
import type { Log } from "../lib/log.ts";
import type { PaneState, StyleRun } from "../protocol/pane.ts";
import type { ListedPane } from "./provider.ts";
import { follow, NO_PAST, type PaneSight, type Transition } from "./transitions.ts";

/** Style runs of a pane's `lines`, index by line. */
export type LineStyles = readonly (readonly StyleRun[])[];

/** What is published: replaced whole, never changed. */
export interface Snapshot {
  sequence: number;
  /** Epoch seconds of the pass. */
  at: number;
  /** Visible panes; one that did not change is the same object as in the snapshot before. */
  panes: readonly PaneState[];
  /** Computed when asked for; unchanged lines give the same object again. */
  styles: { get(id: string): LineStyles | undefined };
  /** Every pane of the last good listing, hidden ones too, without placeholders. */
  sights: readonly PaneSight[];
  /** The pass behind this snapshot failed: all of it is as it was, and stale. */
  hasFailed: boolean;
  /** What became of panes since the snapshot before, by identity. */
  transitions: readonly Transition[];
}

export interface Publication {
  at: number;
  panes: readonly PaneState[];
  /** All panes of the last good listing, hidden ones too. */
  listed: readonly ListedPane[];
  /** The styled lines behind each pane's `lines`. */
  lines: ReadonlyMap<string, readonly ScreenLine[]>;
  /** What this pass says of `listed`; of a failed one, what the last good one said. */
  sights: readonly PaneSight[];
  hasFailed: boolean;
}

export type SnapshotListener = (snapshot: Snapshot) => void;

/** The latest snapshot and who wants to know of the next. */
export class Hub {
  readonly #log: Log;
  readonly #listeners = new Set<SnapshotListener>();
  #snapshot: Snapshot = {
    sequence: 0,
    at: 0,
    panes: [],
    styles: new Map<string, LineStyles>(),
    sights: [],
    hasFailed: false,
    transitions: [],
  };
  #past = NO_PAST;
  #panes: readonly ListedPane[] = [];
  #listed: ReadonlyMap<string, ListedPane> = new Map();
  // From snapshot to snapshot, for as long as the lines live.
  readonly #rendered: Rendered = new WeakMap();

  constructor(deps: { log: Log }) {
    this.#log = deps.log;
  }

  get current(): Snapshot {
    return this.#snapshot;
  }

  subscribe(listener: SnapshotListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish({ at, panes, listed, lines, sights, hasFailed }: Publication): void {
    const sequence = this.#snapshot.sequence + 1;
    const styles = new LazyStyles(lines, this.#rendered);
    const { past, transitions } = follow(this.#past, { at, panes: sights, hasFailed });
    this.#past = past;
    this.#snapshot = { sequence, at, panes, styles, sights, hasFailed, transitions };
    if (listed !== this.#panes) this.#listed = byIdAndTarget(listed);
    this.#panes = listed;
    for (const listener of [...this.#listeners]) this.#tell(listener);
  }

  /** Finds a listed pane by its live id or target, also one that is hidden. */
  resolve(idOrTarget: string): ListedPane | null {
    return this.#listed.get(idOrTarget) ?? null;
  }

  // One slow or broken listener costs the others nothing.
  #tell(listener: SnapshotListener): void {
    try {
      listener(this.#snapshot);
    } catch (error) {
      this.#log.error("a listener of the snapshot failed", error);
    }
  }
}

function byIdAndTarget(panes: readonly ListedPane[]): Map<string, ListedPane> {
  // An id wins over a target of the same text: targets hold names that people choose.
  return new Map([
    ...panes.map((pane) => [pane.target, pane] as const),
    ...panes.map((pane) => [pane.id, pane] as const),
  ]);
}

type Rendered = WeakMap<readonly ScreenLine[], LineStyles>;

class LazyStyles {
  readonly #lines: Publication["lines"];
  readonly #rendered: Rendered;

  constructor(lines: Publication["lines"], rendered: Rendered) {
    this.#lines = lines;
    this.#rendered = rendered;
  }

  get(id: string): LineStyles | undefined {
    const lines = this.#lines.get(id);
    if (!lines) return undefined;
    const known = this.#rendered.get(lines);
    if (known) return known;
    const styles = lines.map((line) => line.runs.map(styleRun));
    this.#rendered.set(lines, styles);
    return styles;
  }
}

/** One run as `styled_lines_v1` writes it. */
export function styleRun({ start, length, style }: Run): StyleRun {
  const words: string[] = [];
  if (style.bold) words.push("b");
  if (style.dim) words.push("d");
  if (style.italic) words.push("i");
  if (style.underline) words.push("u");
  if (style.strike) words.push("s");
  if (style.inverse) words.push("r");
  if (style.fg !== undefined) words.push(`f${style.fg}`);
  if (style.bg !== undefined) words.push(`g${style.bg}`);
  return { start, length, style: words.join(" ") };
}
