import type { TerminalUse } from "../detect/finding.ts";
import type { Capabilities } from "../protocol/config.ts";
import type { HierarchyNode, NativeAgent, PaneCapabilities } from "../protocol/pane.ts";

export interface ListedPane {
  id: string;
  /** The same across passes as long as it is the same pane: an id may be given out again. */
  identity: string;
  /** What an answer must name as `endpoint_revision`; empty where input takes no such guard. */
  revision: string;
  target: string;
  title: string;
  command: string;
  cwd: string;
  isCreatedHere: boolean;
  /** Its program shows a progress bar; always false where the provider cannot tell. */
  hasProgress: boolean;
  /** Its program has ended and its screen stays; always false where the provider closes such panes. */
  hasEnded: boolean;
  window: string;
  width: number;
  height: number;
  alternate: boolean;
  cursor: { row: number; column: number; visible: boolean } | null;
  hierarchy: HierarchyNode[];
  names: { session: string; windowIndex: string; paneIndex: string };
  capabilities: PaneCapabilities;
  /** What the provider itself knows of the agent in it. */
  native: NativeAgent | null;
}

export interface Capture {
  /** For detectors and guards: text with SGR attributes, and on the main screen without wraps. */
  text: string;
  /** The screen for people, where the provider reads that separately; null: the same as `text`. */
  display: string | null;
}

/** A capture that failed is the same as no other. */
export function isSameCapture(a: Capture | Error, b: Capture | Error): boolean {
  if (a instanceof Error || b instanceof Error) return false;
  return a.text === b.text && a.display === b.display;
}

/** A pane that vanished is absent; one whose capture failed maps to an Error. */
export type Captures = Map<string, Capture | Error>;

export interface PaneCapture {
  pane: ListedPane;
  capture: Capture;
}

export interface CapturedPane {
  pane: ListedPane;
  /** The pane as it was listed for that capture. */
  captured: ListedPane;
  /** Monotonic seconds: before that capture began, or when the screen was last found unchanged. */
  at: number;
  text: string;
}

export interface PaneProcess {
  pid: number;
  /** Epoch seconds by its machine's clock; null where it is not known. */
  startedAt: number | null;
  args: readonly string[];
}

export type InputStep =
  | { do: "key"; key: string }
  /** More than one line goes as one bracketed paste, where the program has asked for those. */
  | { do: "text"; text: string };

/** What must still hold of the pane; compared in the same turn as the send, where the provider can. */
export interface SendGuard {
  identity: string;
  /** Texts of its screen, compared only where the provider can compare visible text. */
  contains: readonly string[];
  /** Of these texts one that stands so many rows above the cursor, and in no row above that. */
  aboveCursor?: { text: string; rows: number } | null;
  /** The command in the foreground: a dialog stays on the screen when its program has ended. */
  command?: string;
  /** The whole screen as a pass has captured it; only for a provider that `comparesScreens`. */
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

/** A terminal multiplexer: nobody outside its folder depends on which one it is. */
export interface TerminalProvider {
  readonly info: ProviderInfo;
  /** What its panes can do in general; each listed pane names its own. */
  readonly capabilities: PaneCapabilities;
  /** Its machine compares screens itself before it sends: reading them first would cost a round trip. */
  readonly comparesScreens?: boolean;
  /** Whether an id has the right form: it may go to the multiplexer although no pass has listed it. */
  isPaneId(id: string): boolean;
  /** Null for an id that is in use, or never was. Absent where the multiplexer gives out the ids. */
  fateOf?(id: string): PaneFate | null;
  /** Names the server that was listed last. Absent where servers cannot be told apart. */
  server?(): string;
  /** Begins to call `wake` when panes may have changed, where the provider can tell by itself. */
  start(wake: () => void): void;
  stop(): Promise<void>;
  events(): EventSubscription;
  /**
   * All panes; none where no server runs. An unchanged pane is the same object as in the listing
   * before.
   * @throws Error when it failed, timed out or cannot be trusted; nothing may be inferred then.
   */
  list(signal: AbortSignal): Promise<readonly ListedPane[]>;
  /**
   * Ids of the panes whose screen is certain to be the one of their last capture. `at` is the time
   * of this pass in monotonic seconds.
   */
  unchanged(
    panes: readonly CapturedPane[],
    at: number,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>>;
  /** `lines` is the most of history and screen together; a screen is captured whole in any case. */
  capture(panes: readonly ListedPane[], lines: number, signal: AbortSignal): Promise<Captures>;
  /** One pane as it is at this moment; null when it is gone. @throws Error when it cannot be read */
  look(id: string, lines: number, signal: AbortSignal): Promise<PaneCapture | null>;
  /** The foreground group, its leader first; empty when unknown. `recent` may be seconds old. */
  processes(pane: ListedPane, age: "recent" | "now"): Promise<readonly PaneProcess[]>;
  /** How those processes use the terminal, where their kernel can be asked; `now` is after the call. */
  terminalUse?(pane: ListedPane, age: "recent" | "now"): Promise<TerminalUse | null>;
  /** Sends all steps in one turn as far as the provider can; nothing when the guard does not hold. */
  send(id: string, steps: readonly InputStep[], guard: SendGuard | null): Promise<SendOutcome>;
}

/** Where a new pane goes, by ids of the multiplexer: a name that a person chose is never a target. */
export type NewPanePlace =
  | { type: "session"; name: string }
  | { type: "window"; sessionId: string; name: string }
  | { type: "pane"; paneId: string; split: "side_by_side" | "stacked"; sizePercent: number };

export interface ExistingPlaces {
  sessions: { id: string; name: string; windows: ReadonlySet<string> }[];
  panes: Set<string>;
}

export interface NewPane {
  id: string;
  pid: string;
  target: string;
}

export interface PaneLook {
  pid: string;
  isDead: boolean;
  /** The current directory of its process; "" where the system does not tell. */
  directory: string;
}

/** What the multiplexer prints never reaches a reply: it is the `cause` of the AppErrors thrown here. */
export interface CreationPort {
  list(): Promise<ExistingPlaces>;
  /** Detached. An empty `argv` is the default shell. @throws AppError conflict, not_found, unavailable */
  create(place: NewPanePlace, directory: string, argv: readonly string[]): Promise<NewPane>;
  /** Null when the pane, or the whole server, is gone. */
  look(id: string): Promise<PaneLook | null>;
  /** Lets a shell stay visible, over restarts too. False when the pane is gone. */
  markCreated(pane: NewPane): Promise<boolean>;
  /** False when it was left alone: it has another process, or was not created here and `isAny` is false. */
  close(pane: Pick<NewPane, "id" | "pid">, isAny: boolean): Promise<boolean>;
  remove(pane: NewPane): Promise<void>;
}
