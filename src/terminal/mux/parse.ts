import { ALLOWED_KEYS } from "../../protocol/input.ts";
import type { HierarchyNode, PaneCapabilities } from "../../protocol/pane.ts";
import { MAX_PATH_CHARS } from "../../lib/inside.ts";
import type { Namespace } from "../namespace.ts";
import { stripControls } from "../../lib/words.ts";
import type { ListedPane } from "../provider.ts";
import {
  CREATED_OPTION,
  LIGHT_PIECES,
  type NumberField,
  PLAIN_FIELDS,
  TEXT_FIELDS,
  type TextField,
} from "./commands.ts";
import { completeAt, type ScreenFacts } from "./quiet.ts";

export const NO_PANES: ParsedListing = { epoch: "", panes: [], rows: new Map() };

type Row = Record<NumberField | TextField, string>;

export interface ParsedRow extends ScreenFacts {
  /** Pid and start time of the server. */
  epoch: string;
  session: number;
  pane: ListedPane;
  pid: number;
}

export interface ParsedListing {
  panes: readonly ListedPane[];
  /** Empty when no server runs, or it has no pane. */
  epoch: string;
  rows: Map<string, ParsedRow>;
}

/**
 * Parses the output of `listLine`. An unchanged row of `known`, the listing before, keeps its object.
 * `now`: monotonic seconds at which the output was there. Panes outside the namespace are left out.
 * @throws Error when the output is cut or not framed as asked for
 */
export function parseListing(
  output: string,
  mark: string,
  known: ParsedListing,
  now: number,
  namespace: Namespace,
): ParsedListing {
  const rows = new Map<string, ParsedRow>();
  const byId = new Map<string, ParsedRow>();
  for (const source of splitRows(output, mark)) {
    const row = known.rows.get(source) ?? parseRow(source, known, now, namespace);
    rows.set(source, row);
    if (!namespace.has(row.pane.id)) continue;
    // Linked windows and grouped sessions list a pane again. The oldest session names it, so that a
    // link that is made later does not move it.
    const other = byId.get(row.pane.id);
    if (other && row.session >= other.session) continue;
    // The order of the panes is that of the sessions that name them.
    byId.delete(row.pane.id);
    byId.set(row.pane.id, row);
  }
  const listed = [...byId.values()];
  return { epoch: listed[0]?.epoch ?? "", panes: listed.map(({ pane }) => pane), rows };
}

/** The pieces of a light listing of these rows, split at its marks, without the first and the last. */
export function lightPieces(rows: ReadonlyMap<string, ParsedRow>): string[] {
  return [...rows.keys()].flatMap((source) => [...source.split("\0", LIGHT_PIECES - 1), "\n"]);
}

function parseRow(
  source: string,
  known: ParsedListing,
  now: number,
  namespace: Namespace,
): ParsedRow {
  const row = rowOf(source);
  const epoch = `${row.pid}:${row.start_time}`;
  const listedAs = namespace.id(row.pane_id);
  // From tmux 3.8 on a program that has ended has no pid, while its pane stays the same one.
  if (row.pane_pid === "" && known.epoch === epoch) {
    const before = known.rows.values().find(({ pane }) => pane.id === listedAs);
    row.pane_pid = String(before?.pid || "");
  }
  const activityAt = row.window_activity === "" ? Infinity : completeAt(now);
  return {
    epoch,
    session: Number(row.session_id.slice(1)),
    pane: paneOf(row, namespace),
    pid: Number(row.pane_pid),
    mark: markOf(row),
    completeAt: row.pane_output_generation === "" ? activityAt : -Infinity,
  };
}

// Each row is its fields joined by NUL, which none can hold.
function splitRows(output: string, mark: string): string[] {
  const pieces = output.split(mark);
  if (pieces.shift() !== "") throw new Error("the listing does not begin with its mark");
  if (pieces.pop() !== "\n") throw new Error("the listing is cut");
  const size = 1 + TEXT_FIELDS.length + 1;
  if (pieces.length % size !== 0) throw new Error("the listing is cut");
  const rows: string[] = [];
  for (let start = 0; start < pieces.length; start += size) {
    const row = pieces.slice(start, start + size);
    if (row.pop() !== "\n") throw new Error("the listing is cut");
    rows.push(row.join("\0"));
  }
  return rows;
}

function rowOf(source: string): Row {
  const fields = source.split("\0");
  const numbers = (fields[0] ?? "").split(" ");
  if (numbers.length !== PLAIN_FIELDS.length) throw new Error("the listing has a torn row");
  const row: Partial<Row> = {};
  PLAIN_FIELDS.forEach((field, index) => (row[field] = numbers[index] ?? ""));
  TEXT_FIELDS.forEach(
    (field, index) => (row[field] = (fields[index + 1] ?? "").slice(0, MAX_PATH_CHARS)),
  );
  // Every field of both tables has just been set.
  const whole = row as Row;
  if (!/^%\d+$/.test(whole.pane_id)) throw new Error("the listing has a pane without an id");
  return whole;
}

function paneOf(row: Row, namespace: Namespace): ListedPane {
  const hasEnded = row.pane_dead === "1";
  return {
    id: namespace.id(row.pane_id),
    identity: namespace.identity(`${row.pid}:${row.start_time}/${row.pane_id}/${row.pane_pid}`),
    revision: "",
    target: namespace.place(`${row.session_name}:${row.window_index}.${row.pane_index}`),
    title: row.pane_title,
    command: row.pane_current_command,
    cwd: row.pane_current_path,
    isCreatedHere: row[CREATED_OPTION] !== "",
    hasEnded,
    hasProgress: !hasEnded && ["normal", "indeterminate"].includes(row.pane_pb_state),
    window: row.window_name,
    width: Number(row.pane_width),
    height: Number(row.pane_height),
    alternate: row.alternate_on === "1",
    cursor: row.cursor_x === "" || row.cursor_y === "" ? null : cursorOf(row),
    hierarchy: hierarchyOf(row, namespace),
    names: {
      session: row.session_name,
      windowIndex: row.window_index,
      paneIndex: row.pane_index,
    },
    capabilities: row[CREATED_OPTION] === "" ? MUX_CAPABILITIES : CREATED_CAPABILITIES,
    native: null,
  };
}

function cursorOf({ cursor_x, cursor_y, cursor_flag }: Row): ListedPane["cursor"] {
  return { row: Number(cursor_y), column: Number(cursor_x), visible: cursor_flag !== "0" };
}

function hierarchyOf(row: Row, namespace: Namespace): HierarchyNode[] {
  const position = (text: string) => (text === "" ? null : Number(text));
  return [
    {
      ...{ kind: "session", label: row.session_name, position: null },
      id: namespace.place(row.session_id),
    },
    {
      ...{ kind: "window", label: row.window_name, position: position(row.window_index) },
      id: namespace.place(row.window_id),
    },
    {
      ...{ kind: "pane", label: row.pane_title || row.pane_index },
      ...{ id: namespace.id(row.pane_id), position: position(row.pane_index) },
    },
  ];
}

/** Fields that change with a screen, besides the count of its outputs or the second of the last one. */
const MARK_FIELDS = [
  ...(["pane_pid", "pane_dead", "pane_width", "pane_height", "cursor_x", "cursor_y"] as const),
  ...(["cursor_flag", "alternate_on", "history_size"] as const),
  ...(["pane_title", "pane_current_command"] as const),
];

function markOf(row: Row): string {
  const output = row.pane_output_generation || row.window_activity;
  return [...MARK_FIELDS.map((field) => row[field]), output].join("\0");
}

/**
 * The text after each mark, in order; null where there is none, as after the last mark and that of a
 * command that failed. Each is decoded by itself: a line that is kept then keeps its own capture in
 * memory, not the whole batch.
 */
export function parseFrames(output: Uint8Array, mark: string): (string | null)[] {
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  const separator = Buffer.from(`${mark}\n`);
  const starts: number[] = [];
  for (let at = bytes.indexOf(separator); at !== -1; at = bytes.indexOf(separator, at + 1))
    starts.push(at);
  if (bytes.length > 0 && starts[0] !== 0)
    throw new Error("the captures do not begin with their mark");
  return starts.map((at, index) => {
    const start = at + separator.length;
    const end = starts[index + 1] ?? bytes.length;
    // The last line break stays: blank rows at the end are counted by line breaks.
    return start === end ? null : bytes.toString("utf8", start, end);
  });
}

/** No server, or one without a session: the listing is empty. */
export function meansNoPanes(stderr: string): boolean {
  // tmux wants a current pane even to list all of them.
  return (
    /^(?:no server running on |error connecting to .*\(No such file or directory\))/ms.test(
      stderr,
    ) || stderr.startsWith("no current target")
  );
}

/** The connection ended while the server worked: the command may have been carried out. */
export function meansCutOff(stderr: string): boolean {
  return /^(lost server|server exited)/m.test(stderr);
}

export function meansGone(stderr: string): boolean {
  return /^(can't find|no such) (pane|window|session)/m.test(stderr);
}

/** Whether a command failed because this pane is gone, where tmux complains of several panes. */
export function saysGone(id: string, stderr: string): boolean {
  const complaints = stderr.split("\n").filter((line) => line !== "");
  return complaints.includes(`can't find pane: ${id}`) || complaints.every(meansGone);
}

export function complaint(stderr: string, code: number): string {
  const [first = ""] = stderr.trim().split("\n");
  return stripControls(first).slice(0, 200) || `exit code ${code}`;
}

/** Of any tmux pane; one that was created here can be closed too. */
export const MUX_CAPABILITIES: PaneCapabilities = {
  capture: true,
  input: "legacy",
  literal_text: true,
  menu_select: true,
  keys: [...ALLOWED_KEYS],
  broadcast: true,
  create: true,
  delete: false,
  native_agent_state: false,
};

const CREATED_CAPABILITIES: PaneCapabilities = { ...MUX_CAPABILITIES, delete: true };
