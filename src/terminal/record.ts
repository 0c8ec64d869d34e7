import type { Composer, Finding, Prompt, TerminalUse } from "../detect/finding.ts";
import type { Patterns } from "../detect/pattern-rules.ts";
import type { ScreenLine } from "../detect/region.ts";
import type { Moment } from "../lib/clock.ts";
import type { NamingFacts } from "../naming/heuristics.ts";
import type { LiveConfig, PaneOverride } from "../protocol/config.ts";
import type { PaneState, PaneStatus } from "../protocol/pane.ts";
import type { GuardedPrompt } from "./action-guard.ts";
import type { Screens } from "./interpreter.ts";
import type { PaneNotes } from "./pane-notes.ts";
import type { Capture, ListedPane } from "./provider.ts";

export interface PassSettings extends Pick<
  LiveConfig,
  "capture_lines" | "overrides" | "generic_prompt_patterns" | "error_patterns"
> {
  host?: string | null;
}

/** What the settings say of panes: the same object for as long as the settings are the same. */
export interface PassRules {
  /** Two rules with the same key are the same. */
  key: string;
  captureLines: number;
  host: string | null | undefined;
  patterns: Patterns;
  overrides: ReadonlyMap<string, PaneOverride>;
  /** The part of the key that findings depend on. */
  basis: string;
}

/** What is the same for all panes of one pass or look; the moment is its beginning. */
export interface PassContext extends Moment {
  rules: PassRules;
}

export function passRules(settings: PassSettings, before: PassRules | null): PassRules {
  const { capture_lines: captureLines, host, overrides } = settings;
  const patterns = { prompt: settings.generic_prompt_patterns, error: settings.error_patterns };
  const key = JSON.stringify({ captureLines, host, patterns, overrides });
  if (before?.key === key) return before;
  const basis = JSON.stringify({ captureLines, patterns });
  return { key, captureLines, host, patterns, overrides: firstOfEach(overrides), basis };
}

function firstOfEach(overrides: readonly PaneOverride[]): Map<string, PaneOverride> {
  const byTarget = new Map<string, PaneOverride>();
  for (const override of overrides)
    if (!byTarget.has(override.target)) byTarget.set(override.target, override);
  return byTarget;
}

/** What is known of one pane's work. All times are monotonic seconds. */
export interface Work {
  /** First and last sign of work of the turn that runs or has just ended; null between turns. */
  readonly run: { readonly since: number; readonly until: number; readonly isOwn: boolean } | null;
  /** Since when it has been idle after that turn; null while it works. */
  readonly idleSince: number | null;
  /** When work that counts ended, until somebody looks at the pane; null otherwise. */
  readonly finishedAt: number | null;
}

/** When somebody last looked at the pane and acted on it, in monotonic seconds. */
export interface Attention {
  seenAt: number;
  actedAt: number;
}

interface PaneFacts extends Attention, Screens {
  /** As listed; the same object as long as the listing says the same. */
  pane: ListedPane;
  /** Of this screen; where the patterns gave no answer in time, the one before. */
  finding: Finding;
  /** The agent's input line on this screen; read only where input is guarded. */
  composer: Composer | null;
  /** Epoch seconds at which something was last sent to it; 0 when never. */
  interacted: number;
  isFresh: boolean;
}

/** What is known of a pane at the moment of its capture or of a later pass. */
export interface ObserveInput extends PaneFacts, Moment {
  override: PaneOverride | null;
  nameOf: (facts: NamingFacts) => string;
  notes: PaneNotes;
  /** Something was sent to it, and no screen read since then shows the effect. */
  isAwaited: boolean;
  provider: string;
  captureLines: number;
  host: string | null | undefined;
  mayAct: boolean;
}

export interface Observation {
  /** The prompt that is published: under an overlay, the one that it hides. */
  prompt: Prompt | null;
  /** What an answer to this screen has to name, where input is guarded. */
  guarded: GuardedPrompt | null;
  lines: readonly ScreenLine[];
  /** How many lines were asked for when `display` was read. */
  captureLines: number;
  /** Monotonic seconds of the last change of text after the first capture; -Infinity when none. */
  changedAt: number;
  /** Monotonic seconds when a sign of work was last seen; -Infinity when never. */
  workingAt: number;
  /** Monotonic seconds since when the screen has shown what often lasts only a moment; null: it does not. */
  unsettledAt: number | null;
  /** Monotonic seconds when the pane last had another size; -Infinity when never. */
  resizedAt: number;
  /** The status to publish while an overlay hides this screen. */
  statusUnderOverlay: PaneStatus;
  isUnsettled: boolean;
  /** Text of the line that decided the status; null where none did. */
  decidingLine: string | null;
  /** Monotonic seconds since when that line has decided. */
  decidingSince: number;
  /** Monotonic seconds when that line changed to this text; -Infinity when it had it from the start. */
  movedAt: number;
  work: Work;
  state: PaneState;
}

export type PaneObservation = Pick<PaneFacts, "pane" | "screen" | "display" | "finding"> &
  Observation;

/** All that is kept of one pane from pass to pass; `state` is published. */
export interface PaneRecord extends PaneFacts, Observation {
  /** Monotonic seconds: before its last capture began, or when the screen was last found unchanged. */
  at: number;
  capture: Capture;
  rules: PassRules;
  /** Everything else that the finding was made from; empty when it has to be made again. */
  basis: string;
  processes: string;
  /** Where the finding depends on how the processes use it: the kernel is asked in every pass then. */
  terminal: TerminalUse | null;
  /** Monotonic seconds until which the processes are asked for again; null after that. */
  processesUntil: number | null;
  /** Monotonic seconds at which something was sent to it, until a capture shows the effect. */
  sentAt: number | null;
  /** What was sent started a program that still runs and takes no keys. */
  runsOn: boolean;
  /** The passing of time changes nothing in its state any more. */
  isAtRest: boolean;
}

/** Whether a finding would be made from the same facts as before, besides text and processes. */
export function hasSameBasis(
  { pane: before, rules: then, basis }: PaneRecord,
  pane: ListedPane,
  rules: PassRules,
): boolean {
  // An unchanged pane is the same object from listing to listing: its basis need not be built again.
  return before === pane && then === rules ? basis !== "" : basis === basisOf(pane, rules);
}

/** What a finding is made from besides the text and the processes. */
export function basisOf(pane: ListedPane, rules: PassRules): string {
  const { title, command, width, height, alternate, cursor, native, revision, hasEnded } = pane;
  const kind = rules.overrides.get(pane.target)?.kind ?? "";
  const where = [width, height, alternate, cursor];
  const facts = [title, command, ...where, native, revision, hasEnded, kind];
  return `${JSON.stringify(facts)}\0${rules.basis}`;
}
