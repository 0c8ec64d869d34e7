import { mapLimit } from "../../lib/lock.ts";
import type { ListedPane, PaneFate } from "../provider.ts";
import type { Channel } from "./channel.ts";
import { listedPane, nextRevision, type RevisionSteps } from "./listed.ts";
import { isGone, parse, WirePane, WireSnapshot, WspFailure } from "./wire.ts";
import {
  type Handle,
  panesOf,
  processesBasis,
  readForeground,
  type Registry,
  type Route,
  routeKey,
  routeOf,
  type SessionProcesses,
  type SnapshotPane,
} from "./snapshot.ts";
import { paneText, REQUESTS } from "./requests.ts";

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
  /** Its own read failed: a screen too large, say. */
  failure: Error | null;
  listed: ListedPane;
  basis: string;
  /** Rises whenever another screen was read. */
  version: number;
  /** The last read gave another screen. */
  isBusy: boolean;
  /** Monotonic milliseconds since when every read has given this screen. */
  stillSinceMs: number;
  /** Passes since its last read. */
  passedOver: number;
}

export interface SessionReader {
  channel: Channel;
  registry: Registry;
  nowMs: () => number;
}

/**
 * One pass over the session: consistent, or a failure. A pane that went or moved meanwhile is left
 * out; `hasMoved` when one of them is elsewhere now.
 */
export async function readSession(
  reader: SessionReader,
  before: ReadonlyMap<string, WatchedPane>,
  lines: number,
  signal: AbortSignal,
): Promise<{ sights: Map<string, WatchedPane>; hasMoved: boolean }> {
  const { channel, registry } = reader;
  await channel.verify(signal);
  const first = await snapshot(channel, signal);
  const handles = registry.assign(first.map(({ route }) => route));
  const places = first.flatMap((at, index) => {
    const handle = handles[index];
    return handle ? [{ at, handle, known: before.get(handle.id) ?? null }] : [];
  });
  const read = new Map<string, WatchedPane>();
  await mapLimit(places, LANES, async (place) => {
    const sight = await readPane(reader, place, lines, signal);
    if (sight) read.set(place.handle.id, sight);
  });
  const last = (await snapshot(channel, signal)).map(({ route }) => route);
  const routes = new Set(last.map(routeKey));
  // In the order of the snapshot.
  const sights = new Map<string, WatchedPane>();
  const lost = new Set<string>();
  for (const { handle, at } of places) {
    const sight = read.get(handle.id);
    if (sight && routes.has(routeKey(at.route))) sights.set(handle.id, sight);
    else lost.add(at.route.terminal);
  }
  const known = new Set(first.map(({ route }) => routeKey(route)));
  const hasMoved = last.some((route) => lost.has(route.terminal) && !known.has(routeKey(route)));
  return { sights, hasMoved };
}

interface ReadPlace {
  at: SnapshotPane;
  handle: Handle;
  known: WatchedPane | null;
  /** It is read for itself, at this moment. */
  isLook?: boolean;
}

/** Null when the pane is gone. */
async function readPane(
  reader: SessionReader,
  place: ReadPlace,
  lines: number,
  signal: AbortSignal,
): Promise<WatchedPane | null> {
  const { at, known } = place;
  if (known && mayPassOver(reader, known, at, lines))
    return { ...known, at, handle: place.handle, passedOver: known.passedOver + 1, isBusy: false };
  try {
    const isFresh = known?.processes?.basis === processesBasis(at);
    const processes = isFresh ? known.processes : await readForeground(reader, at, signal);
    const screens = await readScreens(reader, place, lines, signal);
    return sightOf(reader, place, { processes, screens, failure: null });
  } catch (error) {
    if (isGone(error)) return null;
    // One screen that is too large, or of which the server says no more than an error.
    const isItsOwn =
      error instanceof WspFailure && ["oversized", "command_failed"].includes(error.category);
    if (!isItsOwn) throw error;
    const processes = known?.processes ?? null;
    return sightOf(reader, place, { processes, screens: known?.screens ?? null, failure: error });
  }
}

/** Whether its last read will do: nothing that the listing tells of it is another than then. */
function mayPassOver(
  { nowMs }: SessionReader,
  known: WatchedPane,
  at: SnapshotPane,
  lines: number,
): boolean {
  const { screens, failure, passedOver, stillSinceMs } = known;
  if (!screens || failure || at.agent || passedOver >= MOST_PASSED_OVER) return false;
  if (nowMs() - stillSinceMs < STILL_MS || screens.lines < rowsFor(lines, at.wire)) return false;
  return JSON.stringify(known.at) === JSON.stringify(at);
}

/** The pane as it is at this moment, between two looks at its route that agree; or where it went. */
export async function readAlone(
  reader: SessionReader,
  known: WatchedPane,
  lines: number,
  signal: AbortSignal,
): Promise<WatchedPane | PaneFate> {
  await reader.channel.verify(signal);
  const { route } = known.at;
  const look = () => whereIs(reader, route, signal);
  try {
    const [wire, processes] = await Promise.all([look(), readForeground(reader, known.at, signal)]);
    if (typeof wire === "string") return wire;
    const place: ReadPlace = {
      at: { ...known.at, wire },
      handle: known.handle,
      known,
      isLook: true,
    };
    const screens = await readScreens(reader, place, lines, signal);
    const after = await look();
    if (typeof after === "string") return after;
    return sightOf(reader, place, { processes, screens, failure: null });
  } catch (error) {
    if (isGone(error)) return "gone";
    throw error;
  }
}

/** The pane on this route, or what has become of it. */
export async function whereIs(
  { channel }: SessionReader,
  route: Route,
  signal: AbortSignal,
): Promise<WirePane | PaneFate> {
  try {
    const result = await channel.ask(REQUESTS.pane(route.pane), signal);
    const wire = parse(WirePane, result.pane, "pane get");
    const found = routeOf(wire);
    if (routeKey(found) === routeKey(route)) return wire;
    // An old id that leads to the same terminal elsewhere; or the same id of a restarted session.
    return found.terminal === route.terminal ? "moved" : "gone";
  } catch (error) {
    if (isGone(error)) return "gone";
    throw error;
  }
}

async function readScreens(
  { channel, nowMs }: SessionReader,
  { at, known, isLook = false }: ReadPlace,
  wanted: number,
  signal: AbortSignal,
): Promise<PaneScreens> {
  const { pane } = at.route;
  const { wire } = at;
  const lines = rowsFor(wanted, wire);
  const before = known?.screens ?? null;
  const display = () => channel.ask(REQUESTS.history(pane, lines), signal);
  // What is compared is read last: an answer that comes late must not lie between a look and its send.
  const first = isLook ? await display() : null;
  // Of a pane that prints, both are needed.
  const [result, earlyShown] = await Promise.all([
    channel.ask(REQUESTS.detection(pane), signal),
    first ?? (known?.isBusy ? display() : null),
  ]);
  const detection = paneText(result, pane);
  const now = nowMs();
  const columns = columnsOf(before, detection, wire);
  const rows = wire.scroll?.viewport_rows ?? 0;
  const isDue = earlyShown || isDisplayDue(before, { detection, wire, lines, nowMs: now });
  if (before && !isDue) return { ...before, columns, rows };
  const shown = earlyShown ?? (await display());
  return {
    detection,
    display: displayOf(paneText(shown, pane)),
    lines,
    displayAtMs: now,
    scrolled: scrolledKey(wire),
    columns,
    rows,
  };
}

function sightOf(
  { channel, nowMs }: SessionReader,
  { at, handle, known }: ReadPlace,
  read: Pick<WatchedPane, "processes" | "screens" | "failure">,
): WatchedPane {
  const { processes, screens, failure } = read;
  const hasAgent = Boolean(at.wire.agent);
  const group = hasAgent ? processes?.group : undefined;
  const steps = nextRevision(known?.steps ?? null, { wire: at.wire, group });
  const facts = {
    ...{ at, handle, steps },
    session: channel.tool.session,
    socketKey: channel.socketKey,
    program: processes?.names[0] ?? "",
    columns: screens?.columns ?? 0,
  };
  const basis = JSON.stringify(facts);
  const isSameScreen =
    known !== null &&
    known.failure === failure &&
    known.screens?.detection === screens?.detection &&
    known.screens?.display === screens?.display;
  return {
    ...{ at, handle, steps, processes, screens, failure },
    basis,
    listed: known?.basis === basis ? known.listed : listedPane(facts),
    isBusy: !isSameScreen,
    stillSinceMs: isSameScreen ? known.stillSinceMs : nowMs(),
    passedOver: 0,
    version: (known?.version ?? 0) + (isSameScreen ? 0 : 1),
  };
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

/** What was last read of one pane. */
interface PaneScreens {
  /** What detectors read: the screen, each row a line. */
  detection: string;
  /** What people are shown; null where that is the detection buffer. */
  display: string | null;
  /** Rows that were asked for. */
  lines: number;
  /** Monotonic milliseconds of the last read of the display. */
  displayAtMs: number;
  /** What tells that rows have left the screen although it looks as before. */
  scrolled: string;
  /** Columns of the widest row since the pane had this height: a terminal's width is not told. */
  columns: number;
  rows: number;
}

/**
 * Rows to ask for so that `wanted` lines come: they are counted from the bottom of the screen, blank
 * rows included, before wrapped rows are joined.
 */
function rowsFor(wanted: number, { scroll }: WirePane): number {
  return Math.min(MAX_LINES, Math.max(LEAST_LINES, wanted + (scroll?.viewport_rows ?? 0)));
}

function scrolledKey({ scroll }: WirePane): string {
  return scroll ? `${scroll.max_offset_from_bottom}/${scroll.viewport_rows}` : "";
}

interface Due {
  detection: string;
  wire: WirePane;
  lines: number;
  nowMs: number;
}

/** Whether the display has to be read again behind this detection buffer. */
function isDisplayDue(before: PaneScreens | null, { detection, wire, lines, nowMs }: Due): boolean {
  if (!before || before.detection !== detection || before.lines < lines) return true;
  if (before.scrolled !== scrolledKey(wire)) return true;
  // The focus of a dialog may move by colour alone.
  if (wire.agent_status === "blocked") return true;
  return nowMs - before.displayAtMs >= DISPLAY_LASTS_MS;
}

/** A full-screen program has no history: its display may be empty. */
function displayOf(text: string): string | null {
  return text.trim() === "" ? null : text.replaceAll("\r\n", "\n");
}

function columnsOf(before: PaneScreens | null, detection: string, { scroll }: WirePane): number {
  if (before?.detection === detection) return before.columns;
  const isSameHeight = before !== null && before.rows === (scroll?.viewport_rows ?? 0);
  let columns = isSameHeight ? before.columns : 0;
  for (const line of detection.split("\n")) columns = Math.max(columns, Bun.stringWidth(line));
  return columns;
}
