import type { DeltaOf } from "./delta.ts";
import type {
  HierarchyNode,
  LegacyGuard,
  MenuOption,
  PaneAgent,
  PaneCapabilities,
  PaneKind,
  PaneState,
  PaneStatus,
  StyleRun,
} from "./pane.ts";

/*
 * Reading as a client: unknown members pass, an unknown enum value becomes "unknown", what the
 * contract promises must be there. Written without the schema library, which would be a third of
 * the web client's first load; the tables below are checked against the schemas' types by the
 * compiler and against the schemas themselves by tests.
 */

type Unknown = "unknown";

export type SeenCapabilities = Omit<PaneCapabilities, "input"> & {
  input: PaneCapabilities["input"] | Unknown;
};

/** A pane as a client sees it. Every `PaneState` is one. */
export type SeenPane = Omit<
  PaneState,
  "kind" | "status" | "capabilities" | "native_agent" | "action_guard"
> & {
  kind: PaneKind | Unknown;
  status: PaneStatus | Unknown;
  capabilities: SeenCapabilities;
  native_agent: Record<string, unknown> | null;
  /** Sent back as it came. */
  action_guard: Record<string, unknown> | null;
  /** The server's own words, where they are unknown to us. */
  raw_kind?: string;
  raw_status?: string;
};

export type SeenFrame =
  | { type: "hello"; sid: string }
  | { type: "state"; panes: SeenPane[] }
  | DeltaOf<SeenPane>
  | { type: "config_changed" }
  /** A frame of a newer server: to be ignored. */
  | { type: "unknown" };

/** What was read, or why it cannot be what the contract promises. */
export type Reading<T> = { ok: true; value: T } | { ok: false; error: string };

/** One text frame of `/ws` in either mode. */
export function readFrame(text: string): Reading<SeenFrame> {
  return reading(() => frame(JSON.parse(text)));
}

/** Body of `GET /api/state`. */
export function readState(body: unknown): Reading<SeenPane[]> {
  return reading(() => {
    const members = record(body, "state");
    if (members["type"] !== "state") fail("type", "state");
    return list(seenPane)(members["panes"], "panes");
  });
}

class Malformed extends Error {}

type Reader<T> = (value: unknown, path: string) => T;

function reading<T>(read: () => T): Reading<T> {
  try {
    return { ok: true, value: read() };
  } catch (cause) {
    if (cause instanceof Malformed || cause instanceof SyntaxError)
      return { ok: false, error: cause.message };
    throw cause;
  }
}

function fail(path: string, expected: string): never {
  throw new Malformed(`${path} is not ${expected}`);
}

const text: Reader<string> = (value, path) =>
  typeof value === "string" ? value : fail(path, "text");
const number: Reader<number> = (value, path) =>
  typeof value === "number" ? value : fail(path, "a number");
const flag: Reader<boolean> = (value, path) =>
  typeof value === "boolean" ? value : fail(path, "true or false");
const record: Reader<Record<string, unknown>> = (value, path) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? { ...value }
    : fail(path, "an object");

const nullable =
  <T>(read: Reader<T>): Reader<T | null> =>
  (value, path) =>
    value === null ? null : read(value, path);

/** For members that a server of the same protocol may not have yet. */
const added =
  <T>(read: Reader<T>, absent: T): Reader<T> =>
  (value, path) =>
    value === undefined ? absent : read(value, path);

const list =
  <T>(read: Reader<T>): Reader<T[]> =>
  (value, path) =>
    Array.isArray(value)
      ? value.map((item, index) => read(item, `${path}[${index}]`))
      : fail(path, "a list");

/** Lines are many: looked at once, and only a wrong list is read again for where it is wrong. */
const texts: Reader<string[]> = (value, path) =>
  Array.isArray(value) && value.every((item) => typeof item === "string")
    ? value
    : list(text)(value, path);

/** Values are keys of a table so that the compiler sees when one is missing. */
const open = <T extends string>(known: Record<T, true>): Reader<T | Unknown> => {
  const isKnown = (value: string): value is T => Object.hasOwn(known, value);
  return (value, path) => {
    const word = text(value, path);
    return isKnown(word) ? word : "unknown";
  };
};

type Table<T> = { [Member in keyof T]-?: Reader<T[Member]> };

function members<T>(table: Table<T>, value: unknown, path: string, partial: boolean): Partial<T> {
  const seen: Record<string, unknown> = record(value, path);
  for (const [member, read] of Object.entries<Reader<unknown>>(table)) {
    if (partial && !Object.hasOwn(seen, member)) continue;
    const item = read(seen[member], `${path}.${member}`);
    if (item !== undefined) seen[member] = item;
  }
  // Every member of the table has been read by its reader; others pass as they are.
  return seen as Partial<T>;
}

const object =
  <T>(table: Table<T>): Reader<T> =>
  (value, path) =>
    members(table, value, path, false) as T; // Not partial: every reader has run.

const menuOption = object<MenuOption>({
  id: (value, path) => (value === undefined ? undefined : text(value, path)),
  key: text,
  label: text,
  description: added(text, ""),
  selected: flag,
  freeform: flag,
  checked: added(nullable(flag), null),
});

const hierarchyNode = object<HierarchyNode>({
  kind: text,
  id: text,
  label: text,
  position: nullable(number),
});

const capabilities = object<SeenCapabilities>({
  capture: flag,
  input: open({ legacy: true, guarded_v1: true }),
  literal_text: flag,
  menu_select: flag,
  keys: texts,
  broadcast: flag,
  create: flag,
  delete: flag,
  native_agent_state: flag,
});

const legacyGuard = object<LegacyGuard>({
  prompt_fingerprint: nullable(text),
  options_fingerprint: nullable(text),
});

const PANE: Table<Omit<SeenPane, "raw_kind" | "raw_status">> = {
  id: text,
  target: text,
  name: text,
  kind: open({
    agent_a: true,
    agent_b: true,
    agent_c: true,
    agent_d: true,
    agent_e: true,
    generic: true,
    shell: true,
  }),
  status: open({ needs_input: true, error: true, working: true, idle: true, offline: true }),
  title: text,
  question: nullable(text),
  menu: list(menuOption),
  preview: texts,
  lines: texts,
  updated: number,
  changed: flag,
  window: text,
  starred: flag,
  interacted: number,
  provider: text,
  hierarchy: list(hierarchyNode),
  capabilities,
  native_agent: nullable(record),
  action_guard: nullable(record),
  actionable: flag,
  stale: flag,
  agent: added(nullable(object<PaneAgent>({ id: text, label: text })), null),
  command: added(text, ""),
  cwd: added(text, ""),
  status_since: added(number, 0),
  prompt_since: added(nullable(number), null),
  evidence: added(texts, []),
  legacy_guard: added(nullable(legacyGuard), null),
  reason: added(text, ""),
};

const seenPane: Reader<SeenPane> = (value, path) =>
  withRaw(value, members(PANE, value, path, false)) as SeenPane; // Not partial.

const someMembers: Reader<Partial<SeenPane>> = (value, path) =>
  withRaw(value, members(PANE, value, path, true));

function withRaw(value: unknown, pane: Partial<SeenPane>): Partial<SeenPane> {
  const raw = value as { kind: string; status: string }; // Read as text by the table.
  if (pane.kind === "unknown") pane.raw_kind = raw.kind;
  if (pane.status === "unknown") pane.raw_status = raw.status;
  return pane;
}

const styleRun = object<StyleRun>({ start: number, length: number, style: text });

const patch = <T>(line: Reader<T>) =>
  object<{ drop: number; head: number; tail: number; insert: T[] }>({
    drop: number,
    head: number,
    tail: number,
    insert: list(line),
  });

type SeenChange = NonNullable<DeltaOf<SeenPane>["changed"]>[number];

const change = object<SeenChange>({
  id: text,
  set: added<SeenChange["set"]>(someMembers, undefined),
  lines_patch: added<SeenChange["lines_patch"]>(patch(text), undefined),
  styles_patch: added<SeenChange["styles_patch"]>(patch(list(styleRun)), undefined),
});

const delta = object<DeltaOf<SeenPane>>({
  type: () => "delta",
  added: added<DeltaOf<SeenPane>["added"]>(list(seenPane), undefined),
  changed: added<DeltaOf<SeenPane>["changed"]>(list(change), undefined),
  order: added<string[] | undefined>(list(text), undefined),
});

function frame(value: unknown): SeenFrame {
  const { type, ...rest } = record(value, "frame");
  switch (type) {
    case "hello":
      return { type, sid: text(rest["sid"], "sid") };
    case "state":
      return { type, panes: list(seenPane)(rest["panes"], "panes") };
    case "delta":
      return delta(value, "delta");
    case "config_changed":
      return { type };
    default:
      return { type: "unknown" };
  }
}
