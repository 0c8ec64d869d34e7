import type { Composer, Finding, Prompt } from "../detect/finding.ts";
import type { Patterns } from "../detect/pattern-rules.ts";
import type { Screen, ScreenLine } from "../detect/region.ts";
import type { Moment } from "../lib/clock.ts";
import type { LiveConfig, PaneOverride } from "../protocol/config.ts";
import type { PaneKind, PaneState, PaneStatus } from "../protocol/pane.ts";
import type { GuardedPrompt } from "./action-guard.ts";
import type { Capture, ListedPane } from "./provider.ts";

export interface PassSettings extends Pick<
  LiveConfig,
  "capture_lines" | "overrides" | "generic_prompt_patterns" | "error_patterns"
> {
  host?: string | null;
}

/** What the settings say of panes: the same object for as long as they say the same. */
export interface PassRules {
  /** Of all of it. */
  key: string;
  captureLines: number;
  host: string | null | undefined;
  patterns: Patterns;
  overrides: ReadonlyMap<string, PaneOverride>;
  /** Of what every finding is made with. */
  basis: string;
}

/** What is the same for all panes of one pass or look, which begins at this moment. */
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

/** What is remembered of one pane's work. All times are monotonic seconds. */
export interface Work {
  /** First and last sign of work of the turn that runs or has just ended; null between turns. */
  readonly run: { readonly since: number; readonly until: number; readonly isOwn: boolean } | null;
  /** Since when it has been idle behind that turn; null while it works. */
  readonly idleSince: number | null;
  /** When work that counts turned idle, until somebody looks; null otherwise. */
  readonly finishedAt: number | null;
}

/** When somebody last looked at the pane, and acted on it, in monotonic seconds. */
export interface Attention {
  seenAt: number;
  actedAt: number;
}

interface PaneFacts extends Attention {
  /** As it is listed; the same object as long as nothing of that differs. */
  pane: ListedPane;
  /** What detectors read. The same object as before when nothing was captured, or the same text. */
  screen: Screen;
  /** What people are shown: the same object as `screen` where the provider reads both at once. */
  display: Screen;
  /** Of this screen; where the patterns gave no answer in time, the one before still holds. */
  finding: Finding;
  /** The agent's input line on this screen; only read where input is guarded. */
  composer: Composer | null;
  /** Epoch seconds of what was last sent to it; 0 when nothing was. */
  interacted: number;
  isFresh: boolean;
}

export type Deliveries = Pick<PaneState, "continue_then" | "queued" | "act">;

/** A look at what is known of a pane, at the moment of its capture or of a later pass. */
export interface ObserveInput extends PaneFacts, Moment {
  override: PaneOverride | null;
  nameOf: (facts: { kind: PaneKind; lines: readonly string[] }) => string;
  deliveries: Deliveries;
  agentId: string | null;
  /** Something was sent to it, and no screen that was read since tells what came of it. */
  isAwaited: boolean;
  provider: string;
  captureLines: number;
  host: string | null | undefined;
  mayAct: boolean;
}

export interface Observation {
  /** The prompt that is published: under an overlay, the one from before it. */
  prompt: Prompt | null;
  /** Where input is guarded: what an answer to this screen has to name. */
  guarded: GuardedPrompt | null;
  lines: readonly ScreenLine[];
  /** How many were asked for when `display` was read. */
  captureLines: number;
  /** Monotonic seconds of the last change of text after the first capture; -Infinity when none. */
  changedAt: number;
  /** Monotonic seconds when a sign of work was last seen; -Infinity when never. */
  workingAt: number;
  /** Monotonic seconds since when the screen has shown what often lasts only a moment; else null. */
  unsettledAt: number | null;
  /** Monotonic seconds when the pane last had another size; -Infinity when never. */
  resizedAt: number;
  shown: PaneStatus;
  isUnsettled: boolean;
  /** Null where none did. */
  decidingLine: string | null;
  /** Monotonic seconds since when that line has decided. */
  decidingSince: number;
  /** When it was seen to become this one; -Infinity when it was there from the start. */
  movedAt: number;
  work: Work;
  state: PaneState;
}

export type Observed = Pick<PaneFacts, "pane" | "screen" | "display" | "finding"> & Observation;

/** All that is known of one pane from pass to pass; `state` is what is published of it. */
export interface PaneRecord extends PaneFacts, Observation {
  /** Monotonic seconds before its last capture began, or when it was last found to hold. */
  at: number;
  capture: Capture;
  rules: PassRules;
  /** What else the finding was made from; empty when it has to be made again. */
  basis: string;
  processes: string;
  /** The kernel tells what they do with the terminal, and is asked again in every pass. */
  asksTerminal: boolean;
  /** Monotonic seconds until which other processes may come up behind this screen; null after it. */
  processesUntil: number | null;
  /** Monotonic seconds of what was sent to it, until a capture tells what came of that. */
  sentAt: number | null;
  /** What was sent is a program that runs, and takes no keys. */
  runsOn: boolean;
  /** Time has nothing more to add to it. */
  isAtRest: boolean;
}

export function isSameCapture(a: Capture, b: Capture): boolean {
  return a.text === b.text && a.display === b.display;
}

/** Whether the finding would be made from the same as before, the text and the processes aside. */
export function hasSameBasis(
  { pane: before, rules: then, basis }: PaneRecord,
  pane: ListedPane,
  rules: PassRules,
): boolean {
  // A quiet pane is the same object from listing to listing: nothing is joined again.
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
