import { mapLimit } from "../../lib/lock.ts";
import {
  type Capture,
  isSameCapture,
  type ListedPane,
  type PaneFate,
  type PaneProcess,
} from "../provider.ts";
import type { Channel } from "./channel.ts";
import { listedPane, nextRevision, type RevisionSteps } from "./listed.ts";
import { type Handle, panesOf, type Registry, routeKey, type SnapshotPane } from "./snapshot.ts";
import {
  isGone,
  parse,
  REQUESTS,
  WirePane,
  WireProcessInfo,
  WireRead,
  WireSnapshot,
  WspFailure,
  WspRefusal,
} from "./wire.ts";

/**
 * Requests at a time. A server answers one after another, but one in twenty only at its next turn, 100 ms
 * later: several of those must wait at the same time.
 */
const LANES = 8;

/** After so long without a change, a pane without an agent is read only in every third pass. */
const STILL_MS = 60_000;
const MOST_PASSED_OVER = 2;

export interface WatchedPane {
  at: SnapshotPane;
  handle: Handle;
  steps: RevisionSteps;
  processes: SessionProcesses | null;
  screens: PaneScreens | null;
  /** An Error where only this read failed, as for a screen too large. The same object until it changes. */
  capture: Capture | Error;
  listed: ListedPane;
  basis: string;
  isBusy: boolean;
  /** Monotonic milliseconds since when every read has given the same screen. */
  stillSinceMs: number;
  passedOver: number;
}

export interface SessionReader {
  channel: Channel;
  registry: Registry;
  nowMs: () => number;
}

interface SessionPass extends SessionReader {
  lines: number;
  signal: AbortSignal;
}

/** One consistent pass, or a failure. A pane that vanished or moved meanwhile is left out. */
export async function readSession(
  pass: SessionPass,
  before: ReadonlyMap<string, WatchedPane>,
): Promise<{ watched: Map<string, WatchedPane>; hasMoved: boolean }> {
  const { channel, registry, signal } = pass;
  await channel.verify(signal);
  const first = await snapshot(channel, signal);
  const handles = registry.assign(first.map(({ wire }) => wire));
  const targets = first.flatMap((at, index) => {
    const handle = handles[index];
    return handle ? [{ at, handle, known: before.get(handle.id) ?? null }] : [];
  });
  const read = await mapLimit(targets, LANES, (target) => readPane(pass, target));
  const last = (await snapshot(channel, signal)).map(({ wire }) => wire);
  const routes = new Set(last.map(routeKey));
  const watched = new Map<string, WatchedPane>();
  const lost = new Set<string>();
  for (const [index, { handle, at }] of targets.entries()) {
    const pane = read[index];
    if (pane && routes.has(routeKey(at.wire))) watched.set(handle.id, pane);
    else lost.add(at.wire.terminal_id);
  }
  const known = new Set(first.map(({ wire }) => routeKey(wire)));
  const hasMoved = last.some((wire) => lost.has(wire.terminal_id) && !known.has(routeKey(wire)));
  return { watched, hasMoved };
}

interface ReadTarget {
  at: SnapshotPane;
  handle: Handle;
  known: WatchedPane | null;
  /** Only this pane is read, for somebody who waits. */
  isLook?: boolean;
}

async function readPane(pass: SessionPass, target: ReadTarget): Promise<WatchedPane | null> {
  const { at, handle, known } = target;
  if (known && mayPassOver(pass, known, at))
    return { ...known, at, handle, passedOver: known.passedOver + 1, isBusy: false };
  try {
    const isFresh = known?.processes?.basis === processesBasis(at);
    const processes = isFresh ? known.processes : await readForeground(pass, at);
    const screens = await readScreens(pass, target);
    return watchedPane(pass, target, { processes, screens, capture: captureOf(screens) });
  } catch (error) {
    if (isGone(error)) return null;
    // A failure that says nothing of the other panes.
    const isItsOwn =
      error instanceof WspFailure && ["oversized", "command_failed"].includes(error.category);
    if (!isItsOwn) throw error;
    const { processes = null, screens = null } = known ?? {};
    return watchedPane(pass, target, { processes, screens, capture: error });
  }
}

/** Whether its last read will do: it has been still for long, and the listing says the same as then. */
function mayPassOver({ nowMs, lines }: SessionPass, known: WatchedPane, at: SnapshotPane): boolean {
  const { screens, capture, passedOver, stillSinceMs } = known;
  if (!screens || capture instanceof Error || at.agent || passedOver >= MOST_PASSED_OVER)
    return false;
  if (nowMs() - stillSinceMs < STILL_MS || screens.lines < rowsFor(lines, at.wire)) return false;
  return JSON.stringify(known.at) === JSON.stringify(at);
}

/** The pane as it is now, read between two looks at its route that agree; or what became of it. */
export async function readAlone(
  pass: SessionPass,
  known: WatchedPane,
): Promise<WatchedPane | PaneFate> {
  const { channel, signal } = pass;
  await channel.verify(signal);
  const look = () => whereIs(channel, known.at.wire, signal);
  try {
    const [wire, processes] = await Promise.all([look(), readForeground(pass, known.at)]);
    if (typeof wire === "string") return wire;
    const { handle } = known;
    const target: ReadTarget = { at: { ...known.at, wire }, handle, known, isLook: true };
    const screens = await readScreens(pass, target);
    const after = await look();
    if (typeof after === "string") return after;
    return watchedPane(pass, target, { processes, screens, capture: captureOf(screens) });
  } catch (error) {
    if (isGone(error)) return "gone";
    throw error;
  }
}

export async function whereIs(
  channel: Channel,
  route: WirePane,
  signal?: AbortSignal,
): Promise<WirePane | PaneFate> {
  try {
    const result = await channel.ask(REQUESTS.pane(route.pane_id), signal);
    const wire = parse(WirePane, result.pane, "pane get");
    if (routeKey(wire) === routeKey(route)) return wire;
    // An old id leads to the same terminal elsewhere, or the id is one of a restarted session.
    return wire.terminal_id === route.terminal_id ? "moved" : "gone";
  } catch (error) {
    if (isGone(error)) return "gone";
    throw error;
  }
}

function watchedPane(
  { channel, nowMs }: SessionReader,
  { at, handle, known }: ReadTarget,
  read: Pick<WatchedPane, "processes" | "screens" | "capture">,
): WatchedPane {
  const { processes, screens, capture } = read;
  const group = at.wire.agent ? processes?.group : null;
  const steps = nextRevision(known?.steps ?? null, { wire: at.wire, group });
  const facts = {
    ...{ at, handle, steps },
    session: channel.tool.session,
    socketKey: channel.identity.socket.mark,
    program: processes?.names[0] ?? "",
    columns: screens?.columns ?? 0,
  };
  const basis = JSON.stringify(facts);
  const isSameScreen = known !== null && isSameCapture(known.capture, capture);
  return {
    ...{ at, handle, steps, processes, screens, basis },
    capture: isSameScreen ? known.capture : capture,
    listed: known?.basis === basis ? known.listed : listedPane(facts),
    isBusy: !isSameScreen,
    stillSinceMs: isSameScreen ? known.stillSinceMs : nowMs(),
    passedOver: 0,
  };
}

const captureOf = ({ detection, display }: PaneScreens): Capture => ({ text: detection, display });

async function snapshot(channel: Channel, signal: AbortSignal): Promise<SnapshotPane[]> {
  const result = await channel.ask(REQUESTS.snapshot(), signal);
  try {
    return panesOf(parse(WireSnapshot, result.snapshot, "snapshot"), channel.identity.release);
  } catch (error) {
    channel.doubt();
    throw error;
  }
}

/** The server lowers larger numbers to this. */
const MAX_LINES = 1000;
const LEAST_LINES = 200;
/** Colours may change without a character: after so long the display is read again in any case. */
const DISPLAY_LASTS_MS = 5000;

interface PaneScreens {
  detection: string;
  /** For people; null where that is the detection buffer. */
  display: string | null;
  lines: number;
  displayAtMs: number;
  /** The scroll position: it tells that rows have left a screen that looks as before. */
  scrolled: string;
  /** Columns of the widest row since the pane has had this height: herdr does not tell the width. */
  columns: number;
  rows: number;
}

async function readScreens(
  { channel, nowMs, lines: wantedLines, signal }: SessionPass,
  { at: { wire }, known, isLook = false }: ReadTarget,
): Promise<PaneScreens> {
  const { pane_id: pane, scroll } = wire;
  const lines = rowsFor(wantedLines, wire);
  const rows = scroll?.viewport_rows ?? 0;
  const scrolled = scroll ? `${scroll.max_offset_from_bottom}/${rows}` : "";
  const before = known?.screens ?? null;
  const readDisplay = async () => {
    const text = textOf(await channel.ask(REQUESTS.history(pane, lines), signal), pane);
    // A full-screen program has no history: its display may be empty.
    return text.trim() === "" ? null : text.replaceAll("\r\n", "\n");
  };
  // A look reads the detection buffer last: no slow answer may lie between it and the send.
  const first = isLook ? await readDisplay() : undefined;
  // A pane that prints needs both.
  const [result, early = first] = await Promise.all([
    channel.ask(REQUESTS.detection(pane), signal),
    first === undefined && known?.isBusy ? readDisplay() : undefined,
  ]);
  const detection = textOf(result, pane);
  const now = nowMs();
  const columns = columnsOf(before, detection, rows);
  const isKnown =
    before?.detection === detection &&
    before.lines >= lines &&
    before.scrolled === scrolled &&
    // The focus of a dialog may move by colour alone.
    wire.agent_status !== "blocked" &&
    now - before.displayAtMs < DISPLAY_LASTS_MS;
  if (isKnown && early === undefined) return { ...before, columns, rows };
  const display = early === undefined ? await readDisplay() : early;
  return { detection, display, lines, displayAtMs: now, scrolled, columns, rows };
}

function textOf(result: Record<string, unknown>, pane: string): string {
  const { read } = parse(WireRead, result, "pane read");
  if (read.pane_id !== pane)
    throw new WspFailure("inconsistent", `${pane} was asked for, ${read.pane_id} was read`);
  return read.text;
}

/**
 * Rows to request so that `wanted` lines come: the server counts from the bottom of the screen, blank rows
 * included, before it joins wrapped rows.
 */
function rowsFor(wanted: number, { scroll }: WirePane): number {
  return Math.min(MAX_LINES, Math.max(LEAST_LINES, wanted + (scroll?.viewport_rows ?? 0)));
}

function columnsOf(before: PaneScreens | null, detection: string, rows: number): number {
  if (before?.detection === detection) return before.columns;
  const least = before?.rows === rows ? before.columns : 0;
  return Math.max(least, ...detection.split("\n").map((line) => Bun.stringWidth(line)));
}

interface SessionProcesses {
  group: number | null;
  list: readonly PaneProcess[];
  names: readonly string[];
  /** What the listing said of the agent when they were read. */
  basis: string;
  atMs: number;
}

/** Refusals that will not change: the method is not used again. */
const NEVER: ReadonlySet<string> = new Set(["invalid_request", "not_implemented"]);

/** Null where the session does not tell. */
export async function readForeground(
  { channel, nowMs, signal }: SessionReader & { signal?: AbortSignal },
  at: SnapshotPane,
): Promise<SessionProcesses | null> {
  if (!channel.identity.methods.has("pane.process_info")) return null;
  const { pane_id } = at.wire;
  const result = await channel.ask(REQUESTS.processes(pane_id), signal).catch((error: unknown) => {
    const isRefused = error instanceof WspRefusal && error.category === "command_failed";
    if (!isRefused || isGone(error)) throw error;
    if (NEVER.has(error.code)) channel.dropMethod("pane.process_info");
    return null;
  });
  if (!result) return null;
  const { process_info } = parse(WireProcessInfo, result, "pane process-info");
  // An old id leads to where its pane has moved: the next pass reads that pane.
  if (process_info.pane_id !== pane_id) return null;
  const { foreground_processes: processes } = process_info;
  return {
    group: process_info.foreground_process_group_id ?? null,
    list: processes.map(({ pid, name, argv }) => ({
      ...{ pid, startedAt: null },
      args: argv && argv.length > 0 ? argv : [name ?? ""],
    })),
    names: processes.map(({ name, argv }) => name ?? argv?.[0] ?? ""),
    basis: processesBasis(at),
    atMs: nowMs(),
  };
}

// Fields of the listing that change when the process of an agent does.
function processesBasis({ wire, agent }: SnapshotPane): string {
  return `${wire.agent ?? ""} ${agent?.state_change_seq ?? ""}`;
}
