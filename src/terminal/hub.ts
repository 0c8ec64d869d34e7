import type { Run, ScreenLine } from "../detect/region.ts";
import type { Log } from "../lib/log.ts";
import type { HostState } from "../protocol/hosts.ts";
import type { PaneState, StyleRun } from "../protocol/pane.ts";
import { machineNumberIn } from "./namespace.ts";
import type { ListedPane } from "./provider.ts";
import {
  diffPasses,
  NO_HISTORY,
  type PaneSight,
  type PassHistory,
  type Transition,
} from "./transitions.ts";

type LineStyles = readonly (readonly StyleRun[])[];

/** Replaced whole by the next one, never changed. */
export interface Snapshot {
  sequence: number;
  at: number;
  /** Visible panes; one that did not change is the same object as in the snapshot before. */
  panes: readonly PaneState[];
  /** Every machine, where hosts are configured; the same list until something in it changes. */
  hosts?: readonly HostState[] | undefined;
  /** Computed on demand; unchanged lines give the same object again. */
  styles: { get(id: string): LineStyles | undefined };
  /** Every pane of the last good listing, also hidden ones; no placeholders. */
  sights: readonly PaneSight[];
  /** The pass behind this snapshot failed: the panes of its machine are as before, and stale. */
  hasFailed: boolean;
  /** What became of the panes of that machine since its previous pass. */
  transitions: readonly Transition[];
}

export interface ListedSight extends PaneSight {
  pane: ListedPane;
  /** The styled lines behind those of its state. */
  lines: readonly ScreenLine[];
}

export interface Publication {
  at: number;
  panes: readonly PaneState[];
  /** Every listed pane, also those that the settings hide; after a failed pass those before it, stale. */
  sights: readonly ListedSight[];
  hasFailed: boolean;
}

type SnapshotListener = (snapshot: Snapshot) => void;

export interface PublicationOrigin {
  /** Name of the machine; null: this one. */
  machine: string | null;
  /** Every machine, this one first; empty while no host is configured. */
  hosts: readonly HostState[];
}

const EMPTY: Publication = { at: 0, panes: [], sights: [], hasFailed: false };

/** The latest snapshot of all machines, and the listeners for the next one. */
export class Hub {
  readonly #log: Log;
  readonly #listeners = new Set<SnapshotListener>();
  #snapshot: Snapshot = { ...EMPTY, sequence: 0, styles: new Map(), transitions: [] };
  /** What each machine published last, and the history that its next publication is compared with. */
  #parts: ReadonlyMap<string | null, { publication: Publication; past: PassHistory }> = new Map();
  /** Machine number by name, of machines that have listed a pane. */
  readonly #numbers = new Map<string, number>();
  #byName: ReadonlyMap<string, ListedSight> = new Map();
  // From snapshot to snapshot, for as long as the lines live.
  readonly #rendered = new WeakMap<readonly ScreenLine[], LineStyles>();

  constructor(deps: { log: Log }) {
    this.#log = deps.log;
  }

  get current(): Snapshot {
    return this.#snapshot;
  }

  /** Whether certainly no pane of this identity exists. */
  isGone(identity: string): boolean {
    const { hosts } = this.#snapshot;
    const number = machineNumberIn(identity);
    // A machine that a person has paused may still have all its panes.
    const mayBeThere = ({ kind, name, watch }: HostState) =>
      kind === "ssh" && !watch && (this.#numbers.get(name) ?? number) === number;
    return this.isUnlisted(identity) && !(number > 0 && hosts?.some(mayBeThere));
  }

  /** Whether none of the watched machines lists it; false until each of them has been read once. */
  isUnlisted(identity: string): boolean {
    const { hosts, sights } = this.#snapshot;
    const watched = hosts?.filter(({ watch }) => watch);
    const names = watched?.map(({ kind, name }) => (kind === "ssh" ? name : null)) ?? [null];
    const isWhole = names.every((name) => this.#parts.get(name)?.past.isFirst === false);
    return isWhole && !sights.some((pane) => pane.identity === identity);
  }

  subscribe(listener: SnapshotListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(
    now: Publication,
    { machine, hosts }: PublicationOrigin = { machine: null, hosts: [] },
  ): void {
    const known = this.#parts.get(machine);
    const [first] = now.sights;
    if (machine !== null && first) this.#numbers.set(machine, machineNumberIn(first.identity));
    const { past, transitions } = diffPasses(known?.past ?? NO_HISTORY, now);
    this.#parts = new Map(this.#parts).set(machine, { publication: now, past });
    const before = known?.publication;
    // The listed pane is compared too: it may be hidden, or only its colours may have changed.
    const isSame =
      before?.panes === now.panes &&
      before.hasFailed === now.hasFailed &&
      before.sights.length === now.sights.length &&
      before.sights.every(({ pane }, at) => pane === now.sights[at]?.pane);
    // Every pass of this machine is a sign of life; of another machine only changes are published.
    if (machine === null || transitions.length > 0 || !isSame)
      this.#announce(now, transitions, hosts);
  }

  /** A machine is not watched any more: its panes count as gone. */
  leave(machine: string, { at, hosts }: Pick<PublicationOrigin, "hosts"> & { at: number }): void {
    const known = this.#parts.get(machine);
    if (!known) return;
    this.#parts = new Map([...this.#parts].filter(([name]) => name !== machine));
    const empty = { ...EMPTY, at };
    this.#announce(empty, diffPasses(known.past, empty).transitions, hosts);
  }

  /** The last snapshot of this machine alone, whose files can be read here. */
  get local(): Pick<Snapshot, "sequence" | "at" | "panes" | "sights" | "hasFailed"> {
    const part = this.#parts.get(null)?.publication;
    return part ? { ...part, sequence: this.#snapshot.sequence } : this.#snapshot;
  }

  /** A listed pane by its live id or target, also a hidden one. */
  resolve(idOrTarget: string): ListedPane | null {
    return this.#byName.get(idOrTarget)?.pane ?? null;
  }

  #announce(
    { at, hasFailed }: Publication,
    transitions: readonly Transition[],
    hosts: readonly HostState[],
  ): void {
    const before = this.#snapshot;
    const { panes, sights } = this.#joinAll(hosts);
    const sequence = before.sequence + 1;
    // An id wins over a target of the same text: targets hold names that people choose.
    const byName = new Map([
      ...sights.map((sight) => [sight.pane.target, sight] as const),
      ...sights.map((sight) => [sight.pane.id, sight] as const),
    ]);
    this.#byName = byName;
    const styles = { get: (id: string) => this.#stylesOf(byName.get(id)?.lines) };
    const known = hosts.length === 0 ? {} : { hosts: sameHosts(before.hosts ?? [], hosts) };
    this.#snapshot = { at, hasFailed, transitions, sequence, panes, ...known, styles, sights };
    for (const listener of [...this.#listeners])
      try {
        listener(this.#snapshot);
      } catch (error) {
        // A listener that throws must not keep the others from being called.
        this.#log.error("a listener of the snapshot failed", error);
      }
  }

  /** All publications as one, in the order of the machines; equal lists stay the same object. */
  #joinAll(hosts: readonly HostState[]): Pick<Publication, "panes" | "sights"> {
    const local = this.#parts.get(null);
    if (local && this.#parts.size === 1) return local.publication;
    const names = [null, ...hosts.flatMap(({ kind, name }) => (kind === "ssh" ? name : []))];
    const parts = [...new Set([...names, ...this.#parts.keys()])].flatMap(
      (name) => this.#parts.get(name)?.publication ?? [],
    );
    const panes = parts.flatMap((part) => part.panes);
    return {
      panes: sameList(this.#snapshot.panes, panes),
      sights: parts.flatMap(({ sights }) => sights),
    };
  }

  #stylesOf(lines: readonly ScreenLine[] | undefined): LineStyles | undefined {
    if (!lines) return undefined;
    const styles = this.#rendered.get(lines) ?? lines.map((line) => line.runs.map(styleRun));
    this.#rendered.set(lines, styles);
    return styles;
  }
}

/** `before`, where the items are the same. */
export function sameList<T>(before: readonly T[], now: readonly T[]): readonly T[] {
  const isSame = before.length === now.length && before.every((item, at) => item === now[at]);
  return isSame ? before : now;
}

/** `before`, where only round trips and times of reading have changed. */
function sameHosts(before: readonly HostState[], now: readonly HostState[]): readonly HostState[] {
  const factsOf = (hosts: readonly HostState[]) =>
    JSON.stringify(hosts.map((host) => ({ ...host, round_trip_ms: 0, read_at: 0 })));
  return factsOf(before) === factsOf(now) ? before : now;
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
