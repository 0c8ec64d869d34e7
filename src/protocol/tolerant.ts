import type { DeltaOf } from "./delta.ts";
import type {
  ActionGuard,
  HierarchyNode,
  LegacyGuard,
  MenuOption,
  NativeAgent,
  PaneAgent,
  PaneCapabilities,
  PaneKind,
  PaneState,
  PaneStatus,
  StyleRun,
} from "./pane.ts";
import {
  added,
  fail,
  flag,
  list,
  members,
  nullable,
  number,
  object,
  open,
  type Reader,
  type Reading,
  reading,
  record,
  type Table,
  text,
  texts,
  type Unknown,
} from "./read.ts";

// What a client reads of the terminal half; how it reads: `read.ts`.

export type SeenCapabilities = Omit<PaneCapabilities, "input"> & {
  input: PaneCapabilities["input"] | Unknown;
};

export type SeenNativeAgent = Omit<NativeAgent, "status"> & {
  status: NativeAgent["status"] | Unknown;
};

/** A pane as a client sees it. Every `PaneState` is one. */
export type SeenPane = Omit<PaneState, "kind" | "status" | "capabilities" | "native_agent"> & {
  kind: PaneKind | Unknown;
  status: PaneStatus | Unknown;
  capabilities: SeenCapabilities;
  native_agent: SeenNativeAgent | null;
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
  selected: added(nullable(text), null),
});

const nativeAgent = object<SeenNativeAgent>({
  present: flag,
  kind: nullable(text),
  name: nullable(text),
  status: open({ idle: true, working: true, blocked: true, done: true, unknown: true }),
  state_change_seq: nullable(number),
  interactive_ready: nullable(flag),
});

const actionGuard = object<ActionGuard>({
  endpoint_revision: text,
  prompt_fingerprint: text,
  options_fingerprint: text,
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
  native_agent: nullable(nativeAgent),
  action_guard: nullable(actionGuard),
  actionable: flag,
  stale: flag,
  agent: added(nullable(object<PaneAgent>({ id: text, label: text })), null),
  command: added(text, ""),
  cwd: added(text, ""),
  status_since: added(number, 0),
  prompt_since: added(nullable(number), null),
  evidence: added(texts, []),
  legacy_guard: added(nullable(legacyGuard), null),
  finished_at: added(nullable(number), null),
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
