import type { HierarchyNode, PaneCapabilities } from "../protocol/pane.ts";

/** One pane as the provider lists it. */
export interface ListedPane {
  /** Immediate action handle: `%<integer>` on mux. */
  id: string;
  /** Stable across passes as long as it is the same pane of the same server and process. */
  identity: string;
  /** Provider target for configuration: `<session>:<window>.<pane>` on mux. */
  target: string;
  title: string;
  command: string;
  cwd: string;
  /** Made through this service, in whichever of its runs. */
  isCreatedHere: boolean;
  pid: number;
  window: string;
  width: number;
  height: number;
  alternate: boolean;
  cursor: { row: number; column: number; visible: boolean } | null;
  hierarchy: HierarchyNode[];
  /** Two listings of one pane with equal marks and no recent activity have the same screen. */
  mark: string;
  /** Epoch seconds, whole, of the last output in its window; 0 when unknown. */
  activity: number;
  names: { session: string; window: string; windowIndex: string; paneIndex: string };
}

export interface Listing {
  /** Server pid and start time: other epoch, other server. Empty when no server runs. */
  epoch: string;
  panes: ListedPane[];
}

export interface Capture {
  /** As the provider gave it: text with SGR attributes, wrapped lines joined. */
  text: string;
}

/** Steps that reach the program in a pane. */
export type InputStep =
  | { do: "key"; key: string }
  /** Literal text; more than one line goes as one bracketed paste where the program asked for it. */
  | { do: "text"; text: string };

/**
 * A comparison made inside the multiplexer in the same turn as the send: the pane must still be of
 * this process and its visible screen must hold each of these texts.
 */
export interface SendGuard {
  pid: number;
  contains: readonly string[];
}

export interface ProviderInfo {
  id: "mux" | "wsp";
  version: string | null;
  protocol: number | null;
  executable: string;
  socket: string | null;
}

/** What `send` did; a multiplexer failure is thrown as AppError("invalid", …, {reason}). */
export type SendOutcome = "sent" | "refused";

/** The multiplexer, behind which all its differences end. */
export interface TerminalProvider {
  readonly info: ProviderInfo;
  readonly capabilities: PaneCapabilities;
  /** The form of its ids: such a string may go to the multiplexer although no pass has listed it. */
  isPaneId(id: string): boolean;
  /**
   * Lists all panes with one process, or only the one with this id. No running server is an empty
   * listing.
   * @throws Error when it failed, timed out or cannot be trusted; nothing may be inferred then.
   */
  list(signal: AbortSignal, id?: string): Promise<Listing>;
  /** Called once for each epoch that a listing shows for the first time. */
  greet(signal: AbortSignal): Promise<void>;
  /**
   * Captures screens, at most `lines` rows of history and screen each.
   * A pane that vanished is absent from the map; one whose capture failed maps to an Error.
   */
  capture(
    panes: readonly ListedPane[],
    lines: number,
    signal: AbortSignal,
  ): Promise<Map<string, Capture | Error>>;
  /** Argument lists of the foreground process and its children, nearest first; empty when unknown. */
  processes(pane: ListedPane): Promise<readonly (readonly string[])[]>;
  /** Sends all steps in one turn of the multiplexer; with a guard that fails, nothing is sent. */
  send(id: string, steps: readonly InputStep[], guard: SendGuard | null): Promise<SendOutcome>;
}
