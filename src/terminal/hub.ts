import type { Run, ScreenLine } from "../detect/screen.ts";
import type { Log } from "../lib/log.ts";
import type { HostState } from "../protocol/hosts.ts";
import type { PaneState, StyleRun } from "../protocol/pane.ts";
import type { ListedPane } from "./provider.ts";
import { join, sameHosts, THIS_MACHINE, transitionOn, type Joined, type Part } from "./join.ts";
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

/** The latest snapshot of all machines, and who wants to know of the next. */
export class Hub {
  readonly #log: Log;
  readonly #hostsNow: () => readonly HostState[];
  #hosts: readonly HostState[] = [];
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
  /** By machine, this one first. */
  #parts: ReadonlyMap<string, Part> = new Map();
  /** Null while no other machine is watched: this one's publications are taken as they are. */
  #joined: Joined | null = null;
  #panes: readonly ListedPane[] = [];
  #listed: ReadonlyMap<string, ListedPane> = new Map();
  // From snapshot to snapshot, for as long as the lines live.
  readonly #rendered: Rendered = new WeakMap();

  /** `hosts` is asked with each snapshot, once another machine is watched. */
  constructor(deps: { log: Log; hosts?: () => readonly HostState[] }) {
    this.#log = deps.log;
    this.#hostsNow = deps.hosts ?? (() => []);
  }

  get current(): Snapshot {
    return this.#snapshot;
  }

  subscribe(listener: SnapshotListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What one machine's pass has seen. */
  publish(publication: Publication, machine = THIS_MACHINE): void {
    const known = this.#parts.get(machine);
    const { at, sights, hasFailed } = publication;
    const followed = follow(known?.past ?? NO_PAST, { at, panes: sights, hasFailed });
    const { past } = followed;
    const transitions = namedOn(machine, followed.transitions);
    const parts = new Map(this.#parts).set(machine, { publication, past });
    this.#parts = known ? parts : this.#inOrder(parts);
    // The passes of this machine say that all is well; of another one only news is told.
    const isNews = transitions.length > 0 || !isSame(known?.publication, publication);
    if (machine === THIS_MACHINE || isNews) this.#announce({ at, hasFailed, transitions });
  }

  // Whichever machine was read first.
  #inOrder(parts: ReadonlyMap<string, Part>): ReadonlyMap<string, Part> {
    const names = [THIS_MACHINE, ...this.#hostsNow().map(({ name }) => name)];
    const known = names.flatMap((name) => {
      const part = parts.get(name);
      return part ? [[name, part] as const] : [];
    });
    return new Map([...known, ...parts]);
  }

  /** A machine is not watched any more: its panes are gone. */
  leave(machine: string, at: number): void {
    const known = this.#parts.get(machine);
    if (!known) return;
    const parts = new Map(this.#parts);
    parts.delete(machine);
    this.#parts = parts;
    const { transitions } = follow(known.past, { at, panes: [], hasFailed: false });
    this.#announce({ at, hasFailed: false, transitions: namedOn(machine, transitions) });
  }

  /** The last snapshot as if there was this machine alone, whose files can be read. */
  get local(): Pick<Snapshot, "sequence" | "at" | "panes" | "sights" | "hasFailed"> {
    const part = this.#parts.get(THIS_MACHINE)?.publication;
    return part ? { ...part, sequence: this.#snapshot.sequence } : this.#snapshot;
  }

  #announce(news: Pick<Snapshot, "at" | "hasFailed" | "transitions">): void {
    const { panes, listed, lines, sights } = this.#all();
    const sequence = this.#snapshot.sequence + 1;
    const styles = new LazyStyles(lines, this.#rendered);
    if (this.#joined) this.#hosts = sameHosts(this.#hosts, this.#hostsNow());
    const hosts = this.#joined ? { hosts: this.#hosts } : {};
    this.#snapshot = { ...news, sequence, panes, ...hosts, styles, sights };
    if (listed !== this.#panes) this.#listed = byIdAndTarget(listed);
    this.#panes = listed;
    for (const listener of [...this.#listeners]) this.#tell(listener);
  }

  #all(): Joined {
    const local = this.#parts.get(THIS_MACHINE)?.publication;
    const isAlone = this.#joined === null || this.#hostsNow().length === 0;
    if (local && this.#parts.size === 1 && isAlone) {
      this.#joined = null;
      return local;
    }
    this.#joined = join(this.#parts, this.#joined);
    return this.#joined;
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

const namedOn = (machine: string, all: readonly Transition[]): readonly Transition[] =>
  machine === THIS_MACHINE ? all : all.map((transition) => transitionOn(transition, machine));

function isSame(a: Publication | undefined, b: Publication): boolean {
  return a?.panes === b.panes && a.listed === b.listed && a.hasFailed === b.hasFailed;
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
