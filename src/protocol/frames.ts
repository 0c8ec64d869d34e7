import { z } from "zod";
import { AgentEventFrame, ResetFrame } from "./agent-replies.ts";
import { Card, CardsDelta } from "./cards.ts";
import { HostState } from "./hosts.ts";
import { PaneState, StyleRun } from "./pane.ts";

export const HelloFrame = z.object({
  type: z.literal("hello"),
  sid: z.string(),
  /** With `?events=1`: the cursor from which events follow. */
  cursor: z.int().optional(),
});

export const ConfigChangedFrame = z.object({ type: z.literal("config_changed") });

export const StateFrame = z.object({
  type: z.literal("state"),
  panes: z.array(PaneState),
  /** `hosts_v1`: every machine; absent while this machine alone is watched. */
  hosts: z.array(HostState).optional(),
  /** `cards_v1`, in the order of the queue; absent unless the client asked for them. */
  cards: z.array(Card).optional(),
});

/**
 * A change of the client's lines: leave out the first `drop`, keep the next `head` and the last
 * `tail`, and put `insert` between them. Scrolling is a `drop`.
 */
const patchOf = <T extends z.ZodType>(line: T) =>
  z.object({
    drop: z.number().int().nonnegative(),
    head: z.number().int().nonnegative(),
    tail: z.number().int().nonnegative(),
    insert: z.array(line),
  });
export const LinesPatch = patchOf(z.string());

/**
 * `set` holds the members with another value, except `lines`: they change by `lines_patch`, the
 * runs of each line (`styled_lines_v1`) by `styles_patch`. Where that leaves no line, the pane has
 * no styles any more.
 */
export const PaneDelta = z.object({
  id: z.string(),
  set: PaneState.omit({ id: true, lines: true }).partial().optional(),
  lines_patch: LinesPatch.optional(),
  styles_patch: patchOf(z.array(StyleRun)).optional(),
});
export type PaneDelta = z.infer<typeof PaneDelta>;

/**
 * The changes of one pass on a `/ws?mode=delta` socket, applied in this order: `added` holds new
 * panes whole, `changed` the differences of panes (with styles of added ones), `order` the ids of
 * all panes where set or order changed: a pane that it does not name is gone. `hosts` is the whole
 * list where it changed. Empty members are absent: a quiet pass is `{"type":"delta"}`.
 */
export const DeltaFrame = z.object({
  type: z.literal("delta"),
  added: z.array(PaneState).optional(),
  changed: z.array(PaneDelta).optional(),
  order: z.array(z.string()).optional(),
  hosts: z.array(HostState).optional(),
  /** `cards_v1`: absent where none changed. */
  cards: CardsDelta.optional(),
});
export type DeltaFrame = z.infer<typeof DeltaFrame>;

export const MAX_VIEWED_PANES = 200;

/** Client to server on a delta socket: panes whose `lines` it wants, and whether with styles. */
export const ViewFrame = z.object({
  type: z.literal("view"),
  ids: z.array(z.string()).max(MAX_VIEWED_PANES),
  styles: z.boolean().default(false),
});

/** Client to server on a delta socket: what its person looks at. */
export const PresenceFrame = z.object({
  type: z.literal("presence"),
  /** The page is visible, with that pane or the queue. */
  visible: z.boolean(),
  /** Id of the page's device for alerts. */
  device: z.string().max(64),
  /** Absent: the queue. */
  pane: z.string().max(200).optional(),
});
export type PresenceFrame = z.infer<typeof PresenceFrame>;

export const ServerFrame = z.discriminatedUnion("type", [
  HelloFrame,
  StateFrame,
  DeltaFrame,
  ConfigChangedFrame,
  AgentEventFrame,
  ResetFrame,
]);
