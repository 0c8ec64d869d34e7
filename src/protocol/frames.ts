import { z } from "zod";
import { PaneState, StateFrame, StyleRun } from "./pane.ts";

export const CLOSE_BAD_TOKEN = 1008;
export const CLOSE_TOO_BIG = 1009;
/** Agent context is off, or the client has read nothing for too long: try again later. */
export const CLOSE_TRY_AGAIN = 1013;
export const CLOSE_KILLED = 4001;

export const HelloFrame = z.object({ type: z.literal("hello"), sid: z.string() });
export type HelloFrame = z.infer<typeof HelloFrame>;

export const ConfigChangedFrame = z.object({ type: z.literal("config_changed") });

/**
 * A change of one array of lines: keep `head` lines from the front and `tail` from the end of what
 * the client has, and put `insert` between them.
 */
export const LinesPatch = z.object({
  head: z.number().int().nonnegative(),
  tail: z.number().int().nonnegative(),
  insert: z.array(z.string()),
});
export type LinesPatch = z.infer<typeof LinesPatch>;

/**
 * One pane that changed. `set` holds the members whose value changed, whole; `lines` is left out of
 * `set` and sent as `lines_patch`, and only for viewed panes and panes that wait.
 */
export const PaneDelta = z.object({
  id: z.string(),
  set: PaneState.omit({ lines: true }).partial().optional(),
  lines_patch: LinesPatch.optional(),
  /** `styled_lines_v1`: runs of every line, index by line; only for panes viewed with styles. */
  styles: z.array(z.array(StyleRun)).optional(),
});
export type PaneDelta = z.infer<typeof PaneDelta>;

/**
 * What one pass changed on a `/ws?mode=delta` socket. `order` is present when the set or the order
 * of panes changed; a pane that `order` no longer names is gone. `added` holds new panes whole
 * (with empty `lines` unless viewed or waiting).
 */
export const DeltaFrame = z.object({
  type: z.literal("delta"),
  order: z.array(z.string()).optional(),
  added: z.array(PaneState).optional(),
  changed: z.array(PaneDelta).optional(),
});
export type DeltaFrame = z.infer<typeof DeltaFrame>;

/** Client to server on a delta socket: whose `lines` it wants, and whether with styles. */
export const ViewFrame = z.object({
  type: z.literal("view"),
  ids: z.array(z.string()).max(200),
  styles: z.boolean().default(false),
});
export type ViewFrame = z.infer<typeof ViewFrame>;

export const ServerFrame = z.discriminatedUnion("type", [
  HelloFrame,
  StateFrame,
  DeltaFrame,
  ConfigChangedFrame,
]);
export type ServerFrame = z.infer<typeof ServerFrame>;
