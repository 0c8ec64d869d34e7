import type { Run, ScreenLine } from "../detect/region.ts";
import type { Log } from "../lib/log.ts";
import type { HostState } from "../protocol/hosts.ts";
import type { PaneState, StyleRun } from "../protocol/pane.ts";
import type { ListedPane } from "./provider.ts";
import {
  diffPasses,
  NO_HISTORY,
  type PaneSight,
  type PassHistory,
  type Transition,
} from "./transitions.ts";

type LineStyles = readonly (readonly StyleRun[])[];

/** What is published: replaced whole, never changed. */
export interface Snapshot {
  sequence: number;
  at: number;
  /** Visible panes; one that did not change is the same object as in the snapshot before. */
  panes: readonly PaneState[];
  /** Every machine, where this one is not alone; the same list until something of it changes. */
  hosts?: readonly HostState[] | undefined;
  /** Computed when asked for; unchanged lines give the same object again. */
  styles: { get(id: string): LineStyles | undefined };
  /** Every pane of the last good listing, hidden ones too, without placeholders. */
  sights: readonly PaneSight[];
  /** The pass behind this snapshot failed: its machine's panes are as they were, and stale. */
  hasFailed: boolean;
  /** What became of that machine's panes since its pass before, by identity. */
  transitions: readonly Transition[];
}

export interface Publication {
  at: number;
  panes: readonly PaneState[];
  /** All panes of the last good listing, hidden ones too. */
  listed: readonly ListedPane[];
  /** The styled lines behind each pane's `lines`. */
  lines: Pick<ReadonlyMap<string, readonly ScreenLine[]>, "get">;
  /** What this pass says of `listed`; of a failed one, what the last good one said. */
  sights: readonly PaneSight[];
  hasFailed: boolean;
}

export type SnapshotListener = (snapshot: Snapshot) => void;

/** Whose publication it is, and what is known of all machines by now. */
export interface Origin {
  /** Null: this one. */
  machine: string | null;
  /** Every machine, this one first; none while it is alone. */
  hosts: readonly HostState[];
}

const ALONE: Origin = { machine: null, hosts: [] };

/** What one machine published last, and what its next publication is held against. */
interface Part {
  publication: Publication;
  past: PassHistory;
}

type Joined = Pick<Publication, "panes" | "listed" | "lines" | "sights">;

/** The latest snapshot of all machines, and who wants to know of the next. */
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
  #parts: ReadonlyMap<string | null, Part> = new Map();
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

  /** What one machine's pass has seen. */
  publish(publication: Publication, { machine, hosts }: Origin = ALONE): void {
    const known = this.#parts.get(machine);
    const { at, sights, hasFailed } = publication;
    const { past, transitions } = diffPasses(known?.past ?? NO_HISTORY, {
      at,
      panes: sights,
      hasFailed,
    });
    this.#parts = new Map(this.#parts).set(machine, { publication, past });
    // The passes of this machine say that all is well; of another one only news is told.
    const isNews = transitions.length > 0 || !isSame(known?.publication, publication);
    if (machine === null || isNews) this.#announce({ at, hasFailed, transitions }, hosts);
  }

  /** A machine is not watched any more: its panes are gone. */
  leave(machine: string, { at, hosts }: Pick<Origin, "hosts"> & { at: number }): void {
    const known = this.#parts.get(machine);
    if (!known) return;
    const parts = new Map(this.#parts);
    parts.delete(machine);
    this.#parts = parts;
    const { transitions } = diffPasses(known.past, { at, panes: [], hasFailed: false });
    this.#announce({ at, hasFailed: false, transitions }, hosts);
  }

  /** The last snapshot as if there was this machine alone, whose files can be read. */
  get local(): Pick<Snapshot, "sequence" | "at" | "panes" | "sights" | "hasFailed"> {
    const part = this.#parts.get(null)?.publication;
    return part ? { ...part, sequence: this.#snapshot.sequence } : this.#snapshot;
  }

  #announce(
    news: Pick<Snapshot, "at" | "hasFailed" | "transitions">,
    hosts: readonly HostState[],
  ): void {
    const before = this.#snapshot;
    const { panes, listed, lines, sights } = this.#joined(hosts);
    const sequence = before.sequence + 1;
    const styles = new LazyStyles(lines, this.#rendered);
    const told = hosts.length === 0 ? {} : { hosts: sameHosts(before.hosts ?? [], hosts) };
    this.#snapshot = { ...news, sequence, panes, ...told, styles, sights };
    if (listed !== this.#panes) this.#listed = byIdAndTarget(listed);
    this.#panes = listed;
    for (const listener of [...this.#listeners]) this.#tell(listener);
  }

  /**
   * What all machines published last, as one, in the order of the machines; a list whose items are the
   * ones before is the list before.
   */
  #joined(hosts: readonly HostState[]): Joined {
    const local = this.#parts.get(null);
    if (local && this.#parts.size === 1) return local.publication;
    const names = [null, ...hosts.flatMap(({ kind, name }) => (kind === "ssh" ? name : []))];
    const parts = [...new Set([...names, ...this.#parts.keys()])].flatMap(
      (name) => this.#parts.get(name)?.publication ?? [],
    );
    const panes = parts.flatMap((part) => part.panes);
    const listed = parts.flatMap((part) => part.listed);
    return {
      panes: isEqual(this.#snapshot.panes, panes) ? this.#snapshot.panes : panes,
      listed: isEqual(this.#panes, listed) ? this.#panes : listed,
      sights: parts.flatMap((part) => part.sights),
      lines: { get: (id) => parts.find(({ lines }) => lines.get(id))?.lines.get(id) },
    };
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

function isSame(a: Publication | undefined, b: Publication): boolean {
  return a?.panes === b.panes && a.listed === b.listed && a.hasFailed === b.hasFailed;
}

function isEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** The list before, where nothing but the figures of its links has moved. */
function sameHosts(before: readonly HostState[], now: readonly HostState[]): readonly HostState[] {
  const factsOf = (hosts: readonly HostState[]) =>
    JSON.stringify(hosts.map((host) => ({ ...host, round_trip_ms: 0, read_at: 0 })));
  return factsOf(before) === factsOf(now) ? before : now;
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
