import { mapLimit } from "../../lib/lock.ts";
import type { Capture, ListedPane, PaneFate, PaneProcess } from "../provider.ts";
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
 * Requests at a time. A server answers one after another, but one in twenty waits for its next turn,
 * 100 ms later: those must not stand in a row.
 */
const LANES = 8;

/** A pane without an agent that stood still for so long is read in every third pass. */
const STILL_MS = 60_000;
const MOST_PASSED_OVER = 2;

export interface WatchedPane {
  at: SnapshotPane;
  handle: Handle;
  steps: RevisionSteps;
  processes: SessionProcesses | null;
  screens: PaneScreens | null;
  /** An Error where its own read failed: a screen too large, say. The same object until it differs. */
  capture: Capture | Error;
  listed: ListedPane;
  basis: string;
  isBusy: boolean;
  /** Monotonic milliseconds since when every read has given this screen. */
  stillSinceMs: number;
  passedOver: number;
}

export interface SessionReader {
  channel: Channel;
  registry: Registry;
  nowMs: () => number;
}

interface Round extends SessionReader {
  lines: number;
  signal: AbortSignal;
}

/** One pass, consistent or a failure. A pane that went or moved meanwhile is left out. */
export async function readSession(
  round: Round,
  before: ReadonlyMap<string, WatchedPane>,
): Promise<{ sights: Map<string, WatchedPane>; hasMoved: boolean }> {
  const { channel, registry, signal } = round;
  await channel.verify(signal);
  const first = await snapshot(channel, signal);
  const handles = registry.assign(first.map(({ wire }) => wire));
  const places = first.flatMap((at, index) => {
    const handle = handles[index];
    return handle ? [{ at, handle, known: before.get(handle.id) ?? null }] : [];
  });
  const read = await mapLimit(places, LANES, (place) => readPane(round, place));
  const last = (await snapshot(channel, signal)).map(({ wire }) => wire);
  const routes = new Set(last.map(routeKey));
  const sights = new Map<string, WatchedPane>();
  const lost = new Set<string>();
  for (const [index, { handle, at }] of places.entries()) {
    const sight = read[index];
    if (sight && routes.has(routeKey(at.wire))) sights.set(handle.id, sight);
    else lost.add(at.wire.terminal_id);
  }
  const known = new Set(first.map(({ wire }) => routeKey(wire)));
  const hasMoved = last.some((wire) => lost.has(wire.terminal_id) && !known.has(routeKey(wire)));
  return { sights, hasMoved };
}

interface ReadPlace {
  at: SnapshotPane;
  handle: Handle;
  known: WatchedPane | null;
  /** It is read for itself, at this moment. */
  isLook?: boolean;
}

async function readPane(round: Round, place: ReadPlace): Promise<WatchedPane | null> {
  const { at, handle, known } = place;
  if (known && mayPassOver(round, known, at))
    return { ...known, at, handle, passedOver: known.passedOver + 1, isBusy: false };
  try {
    const isFresh = known?.processes?.basis === processesBasis(at);
    const processes = isFresh ? known.processes : await readForeground(round, at);
    const screens = await readScreens(round, place);
    return sightOf(round, place, { processes, screens, capture: captureOf(screens) });
  } catch (error) {
    if (isGone(error)) return null;
    // One screen that is too large, or of which the server says no more than an error.
    const isItsOwn =
      error instanceof WspFailure && ["oversized", "command_failed"].includes(error.category);
    if (!isItsOwn) throw error;
    const { processes = null, screens = null } = known ?? {};
    return sightOf(round, place, { processes, screens, capture: error });
  }
}

/** Whether its last read will do: nothing that the listing tells of it is another than then. */
function mayPassOver({ nowMs, lines }: Round, known: WatchedPane, at: SnapshotPane): boolean {
  const { screens, capture, passedOver, stillSinceMs } = known;
  if (!screens || capture instanceof Error || at.agent || passedOver >= MOST_PASSED_OVER)
    return false;
  if (nowMs() - stillSinceMs < STILL_MS || screens.lines < rowsFor(lines, at.wire)) return false;
  return JSON.stringify(known.at) === JSON.stringify(at);
}

/** The pane as it is at this moment, between two looks at its route that agree; or where it went. */
export async function readAlone(round: Round, known: WatchedPane): Promise<WatchedPane | PaneFate> {
  const { channel, signal } = round;
  await channel.verify(signal);
  const look = () => whereIs(channel, known.at.wire, signal);
  try {
    const [wire, processes] = await Promise.all([look(), readForeground(round, known.at)]);
    if (typeof wire === "string") return wire;
    const { handle } = known;
    const place: ReadPlace = { at: { ...known.at, wire }, handle, known, isLook: true };
    const screens = await readScreens(round, place);
    const after = await look();
    if (typeof after === "string") return after;
    return sightOf(round, place, { processes, screens, capture: captureOf(screens) });
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
    // An old id that leads to the same terminal elsewhere; or the same id of a restarted session.
    return wire.terminal_id === route.terminal_id ? "moved" : "gone";
  } catch (error) {
    if (isGone(error)) return "gone";
    throw error;
  }
}

function sightOf(
  { channel, nowMs }: SessionReader,
  { at, handle, known }: ReadPlace,
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

/** Nobody knows of a screen that was not read whether it is the same. */
function isSameCapture(a: Capture | Error, b: Capture | Error): boolean {
  if (a instanceof Error || b instanceof Error) return false;
  return a.text === b.text && a.display === b.display;
}

async function snapshot(channel: Channel, signal: AbortSignal): Promise<SnapshotPane[]> {
  const result = await channel.ask(REQUESTS.snapshot(), signal);
  try {
    return panesOf(parse(WireSnapshot, result.snapshot, "snapshot"), channel.identity.release);
  } catch (error) {
    channel.doubt();
    throw error;
  }
}

/** The server lowers every larger number to this. */
const MAX_LINES = 1000;
const LEAST_LINES = 200;
/** Colours may change where no character does: so often the display is read all the same. */
const DISPLAY_LASTS_MS = 5000;

interface PaneScreens {
  detection: string;
  /** What people are shown; null where that is the detection buffer. */
  display: string | null;
  lines: number;
  displayAtMs: number;
  /** What tells that rows have left the screen although it looks as before. */
  scrolled: string;
  /** Columns of the widest row since the pane had this height: a terminal's width is not told. */
  columns: number;
  rows: number;
}

async function readScreens(
  { channel, nowMs, lines: wanted, signal }: Round,
  { at: { wire }, known, isLook = false }: ReadPlace,
): Promise<PaneScreens> {
  const { pane_id: pane, scroll } = wire;
  const lines = rowsFor(wanted, wire);
  const rows = scroll?.viewport_rows ?? 0;
  const scrolled = scroll ? `${scroll.max_offset_from_bottom}/${rows}` : "";
  const before = known?.screens ?? null;
  const readDisplay = async () => {
    const text = textOf(await channel.ask(REQUESTS.history(pane, lines), signal), pane);
    // A full-screen program has no history: its display may be empty.
    return text.trim() === "" ? null : text.replaceAll("\r\n", "\n");
  };
  // What is compared is read last: an answer that comes late must not lie between a look and its send.
  const first = isLook ? await readDisplay() : undefined;
  // Of a pane that prints, both are needed.
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
 * Rows to ask for so that `wanted` lines come: they are counted from the bottom of the screen, blank
 * rows included, before wrapped rows are joined.
 */
function rowsFor(wanted: number, { scroll }: WirePane): number {
  return Math.min(MAX_LINES, Math.max(LEAST_LINES, wanted + (scroll?.viewport_rows ?? 0)));
}

function columnsOf(before: PaneScreens | null, detection: string, rows: number): number {
  if (before?.detection === detection) return before.columns;
  const least = before?.rows === rows ? before.columns : 0;
  return Math.max(least, ...detection.split("\n").map((line) => Bun.stringWidth(line)));
}

export interface SessionProcesses {
  group: number | null;
  list: readonly PaneProcess[];
  names: readonly string[];
  /** What stood in the listing when they were asked for. */
  basis: string;
  atMs: number;
}

/** Refusals that the same request will meet again. */
const NEVER: ReadonlySet<string> = new Set(["invalid_request", "not_implemented"]);

/** Null where the session does not tell: nothing depends on it alone. */
export async function readForeground(
  { channel, nowMs, signal }: SessionReader & { signal?: AbortSignal },
  at: SnapshotPane,
): Promise<SessionProcesses | null> {
  if (!channel.identity.methods.has("pane.process_info")) return null;
  const { pane_id } = at.wire;
  const result = await channel.ask(REQUESTS.processes(pane_id), signal).catch((error: unknown) => {
    const isRefused = error instanceof WspRefusal && error.category === "command_failed";
    if (!isRefused || isGone(error)) throw error;
    if (NEVER.has(error.code)) channel.forgo("pane.process_info");
    return null;
  });
  if (!result) return null;
  const { process_info } = parse(WireProcessInfo, result, "pane process-info");
  // An old id leads to where its pane has moved: that pane's processes are the next pass's to read.
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

// What an agent's process can be seen to change with, without asking for it.
function processesBasis({ wire, agent }: SnapshotPane): string {
  return `${wire.agent ?? ""} ${agent?.state_change_seq ?? ""}`;
}
