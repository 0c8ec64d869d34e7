import type { Patterns } from "../detect/pattern-rules.ts";
import type { PaneOverride } from "../protocol/config.ts";
import type { Subject } from "./interpreter.ts";
import type { PaneRecord } from "./observe.ts";
import type { Moment } from "./moment.ts";
import type { Capture, ListedPane } from "./provider.ts";

/** What is the same for all panes of one pass or look, which begins at this moment. */
export interface Round extends Moment {
  captureLines: number;
  patterns: Patterns;
  /** Differs when the patterns do. */
  patternsKey: string;
  /** By target. */
  overrides: ReadonlyMap<string, PaneOverride>;
}

/** By target, in their order; of two with the same target the first counts. */
export function overridesOf(overrides: readonly PaneOverride[]): Map<string, PaneOverride> {
  const byTarget = new Map<string, PaneOverride>();
  for (const override of overrides)
    if (!byTarget.has(override.target)) byTarget.set(override.target, override);
  return byTarget;
}

/** One pane from pass to pass. */
export interface Track {
  record: PaneRecord;
  /** As it was listed before its last capture. */
  captured: ListedPane;
  /** Monotonic seconds before that capture began, or when it was last found to hold. */
  at: number;
  captureLines: number;
  hasFailed: boolean;
  /** The capture behind the record. */
  capture: Capture;
  /** What else the finding was made from; empty when it has to be made again. */
  basis: string;
  /** Of what the basis was made, to tell without making it again that it is the same. */
  override: PaneOverride | undefined;
  patternsKey: string;
  /** What the finding was told of the processes. */
  processes: string;
  /** The kernel tells what they do with the terminal, and is asked again in every pass. */
  asksTerminal: boolean;
  /** Monotonic seconds until which other processes may come up behind this screen; null after it. */
  processesUntil: number | null;
  interacted: number;
  /** False: every capture so far has failed. */
  isSeen: boolean;
  /** Time has nothing more to add to the record. */
  isAtRest: boolean;
}

/** Where the agent is known, what was read of its processes a moment ago will do for now. */
export function ageFor(track: Track | undefined, pane: ListedPane): Subject["age"] {
  const isKnown = track !== undefined && track.record.finding.agent !== null;
  return isKnown && track.captured.command === pane.command ? "recent" : "now";
}

export function isSameCapture(a: Capture, b: Capture): boolean {
  return a.text === b.text && a.display === b.display;
}

export function isKnown(track: Track, pane: ListedPane, capture: Capture, round: Round): boolean {
  return isSameCapture(track.capture, capture) && hasSameBasis(track, pane, round);
}

/** Whether the finding would be made from the same as before, the text and the processes aside. */
export function hasSameBasis(track: Track, pane: ListedPane, round: Round): boolean {
  const { captured, override, patternsKey, basis } = track;
  const isSame = captured === pane && patternsKey === round.patternsKey;
  // A quiet pane is the same object from listing to listing: nothing is joined again.
  if (isSame && override === round.overrides.get(pane.target)) return basis !== "";
  return basis === basisOf(pane, round);
}

/** What a finding is made from besides the text and the processes. */
export function basisOf(pane: ListedPane, { overrides, patternsKey }: Round): string {
  const { title, command, width, height, alternate, cursor, native, revision } = pane;
  const kind = overrides.get(pane.target)?.kind ?? "";
  const place = cursor ? `${cursor.row},${cursor.column},${cursor.visible}` : "";
  const said = native ? JSON.stringify(native) : "";
  const facts = [title, command, width, height, alternate, place, said, revision];
  return [...facts, kind, patternsKey].join("\0");
}
