import type { TerminalUse } from "../detect/finding.ts";
import type { Capabilities } from "../protocol/config.ts";
import type { HierarchyNode, NativeAgent, PaneCapabilities } from "../protocol/pane.ts";

export interface ListedPane {
  id: string;
  /** The same across passes as long as it is the same pane: an id may be given out again. */
  identity: string;
  /** What an answer must name as `endpoint_revision`; empty where input is not guarded so. */
  revision: string;
  target: string;
  title: string;
  command: string;
  cwd: string;
  isCreatedHere: boolean;
  /** Its program shows a progress bar; false where the provider cannot tell. */
  hasProgress: boolean;
  /** Its program has ended, and what it drew stays; false where such a pane is gone. */
  hasEnded: boolean;
  window: string;
  width: number;
  height: number;
  alternate: boolean;
  cursor: { row: number; column: number; visible: boolean } | null;
  hierarchy: HierarchyNode[];
  names: { session: string; windowIndex: string; paneIndex: string };
  capabilities: PaneCapabilities;
  /** Null where the provider itself says nothing of its agent. */
  native: NativeAgent | null;
}

export interface Listing {
  panes: readonly ListedPane[];
}

export interface Capture {
  /** What the screen shows, for detectors and guards: text with SGR attributes, wrapped lines joined. */
  text: string;
  /** What people are shown, where the provider reads that apart; null: `text`. */
  display: string | null;
}

/** A pane that vanished is absent; one whose capture failed maps to an Error. */
export type Captures = Map<string, Capture | Error>;

/** One pane at one moment. */
export interface ReadPane {
  pane: ListedPane;
  capture: Capture;
}

export interface CapturedPane {
  pane: ListedPane;
  captured: ListedPane;
  /** Monotonic seconds before that capture began, or when it was last found to hold. */
  at: number;
  text: string;
}

export interface PaneProcess {
  pid: number;
  /** Epoch seconds; with the pid it names one process for ever. Null where it cannot be had. */
  startedAt: number | null;
  args: readonly string[];
}

export type InputStep =
  | { do: "key"; key: string }
  /** Literal text; more than one line goes as one bracketed paste where the program asked for it. */
  | { do: "text"; text: string };

/**
 * A comparison in the same turn as the send, as near to the program as the provider can: the pane
 * must still be this one, and where visible text can be compared, hold each of these texts.
 */
export interface SendGuard {
  identity: string;
  contains: readonly string[];
  /** What must still run in front: a dialog stays on the screen when its program has ended. */
  command?: string;
  /** As a pass has captured it: compared whole where the pane is. Only where the provider `comparesScreens`. */
  screen?: { pane: ListedPane; text: string };
}

/**
 * `refused`: the guard did not hold, nothing was sent. `unknown`: it may have arrived, so nobody may
 * send it again. What was surely not sent is thrown as AppError `invalid` with a reason.
 */
export type SendOutcome = "sent" | "refused" | "unknown";

export interface ProviderInfo {
  id: "mux" | "wsp";
  version: string | null;
  protocol: number | null;
  socket: string | null;
  caution?: ProviderError | null;
}

export type EventSubscription = Capabilities["terminal_provider_v1"]["event_subscription"];

export class ProviderError extends Error {
  override readonly name = "ProviderError";
  constructor(
    readonly health: "degraded" | "unavailable",
    readonly lastError: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export type PaneFate = "moved" | "gone";

/** The terminal multiplexer, behind which all its differences end. */
export interface TerminalProvider {
  readonly info: ProviderInfo;
  /** Of its panes in general; each listed pane has its own. */
  readonly capabilities: PaneCapabilities;
  /** A reading is a journey to another machine, which compares screens itself before it sends. */
  readonly comparesScreens?: boolean;
  /** The form of its ids: such a string may go to the multiplexer although no pass has listed it. */
  isPaneId(id: string): boolean;
  /** Null for an id that is in use, or never was; a provider that gives none out knows none. */
  fateOf?(id: string): PaneFate | null;
  /** The server that was listed last: another one has another name. Absent where nobody can tell. */
  server?(): string;
  /** Begins to call `wake` when panes may have changed, where the provider can tell by itself. */
  start(wake: () => void): void;
  stop(): Promise<void>;
  events(): EventSubscription;
  /**
   * Lists all panes. No running server is an empty listing; an unchanged pane is the same object as
   * in the listing before.
   * @throws Error when it failed, timed out or cannot be trusted; nothing may be inferred then.
   */
  list(signal: AbortSignal): Promise<Listing>;
  /**
   * Ids of those panes whose screen is surely the one of their last capture. A provider that cannot
   * tell answers none. `at` is this pass's time in monotonic seconds.
   */
  unchanged(
    panes: readonly CapturedPane[],
    at: number,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>>;
  /** Captures screens, each whole, with history up to so many lines in all. */
  capture(panes: readonly ListedPane[], lines: number, signal: AbortSignal): Promise<Captures>;
  /** One pane as it is at this moment; null when it is gone. @throws Error when it cannot be read */
  look(id: string, lines: number, signal: AbortSignal): Promise<ReadPane | null>;
  /** The foreground, its leader first; empty when unknown. `recent` may be a few seconds old. */
  processes(pane: ListedPane, age: "recent" | "now"): Promise<readonly PaneProcess[]>;
  /** What they do with the pane's terminal, where the kernel of this machine can be asked. */
  terminalUse?(pane: ListedPane): Promise<TerminalUse | null>;
  /** Sends all steps in one turn as far as the provider can; nothing when the guard does not hold. */
  send(id: string, steps: readonly InputStep[], guard: SendGuard | null): Promise<SendOutcome>;
}

/** Where a new pane goes, by ids of the multiplexer's own: no name of a person is ever a target. */
export type NewPanePlace =
  | { type: "session"; name: string }
  | { type: "window"; sessionId: string; name: string }
  | { type: "pane"; paneId: string; split: "side_by_side" | "stacked"; sizePercent: number };

export interface Existing {
  sessions: { id: string; name: string; windows: ReadonlySet<string> }[];
  panes: Set<string>;
}

export interface NewPane {
  id: string;
  pid: string;
  target: string;
}

/** A look at a pane: the current directory of its process is "" when the host does not tell. */
export interface PaneLook {
  pid: string;
  isDead: boolean;
  directory: string;
}

/** Nothing that the multiplexer prints reaches a reply: it is the cause of the AppErrors that these throw. */
export interface CreationPort {
  list(): Promise<Existing>;
  /** Detached. An empty `argv` is the default shell. @throws AppError conflict, not_found, unavailable */
  create(place: NewPanePlace, directory: string, argv: readonly string[]): Promise<NewPane>;
  /** Null when the pane, or the whole server, is gone. */
  look(id: string): Promise<PaneLook | null>;
  /** So that a shell stays visible, over restarts too. False when the pane is gone. */
  markCreated(pane: NewPane): Promise<boolean>;
  /** False when it was left alone: it has another process, or was not created here and is not `any`. */
  close(pane: Pick<NewPane, "id" | "pid">, isAny: boolean): Promise<boolean>;
  remove(pane: NewPane): Promise<void>;
}
