import type { Composer, Finding, Prompt } from "../detect/finding.ts";
import type { Screen, ScreenLine } from "../detect/screen.ts";
import type { PaneOverride } from "../protocol/config.ts";
import type { PaneKind, PaneState, PaneStatus } from "../protocol/pane.ts";
import type { GuardedPrompt } from "./action-guard.ts";
import type { Moment } from "./moment.ts";
import type { ListedPane } from "./provider.ts";

/** What a pass knows of one pane, at the moment of its capture or of this look at it. */
export interface Look extends Moment {
  pane: ListedPane;
  /** What detectors read. The same object as before when nothing was captured, or the same text. */
  screen: Screen;
  /** What people are shown: the same object as `screen` where the provider reads both at once. */
  display: Screen;
  /** Of this screen; where the patterns gave no answer in time, the one before still holds. */
  finding: Finding;
  /** The agent's input line on this screen; only read where input is guarded. */
  composer: Composer | null;
  captureLines: number;
  override: PaneOverride | null;
  nameOf: (facts: { kind: PaneKind; lines: readonly string[] }) => string;
  interacted: number;
  /** Something was sent to it, and no screen that was read since tells what came of it. */
  isAwaited: boolean;
  provider: string;
  /** As `PaneState.host`. */
  host?: string | null | undefined;
  /** False: the pane's last capture failed. */
  isFresh: boolean;
  /** False: the provider may only be watched. */
  mayAct: boolean;
}

/** What a pane is, with what time adds: remembered from pass to pass. */
export interface Observation {
  pane: ListedPane;
  screen: Screen;
  display: Screen;
  /** What the screen shows now. */
  finding: Finding;
  composer: Composer | null;
  /** The prompt that is published: under an overlay, the one from before it. */
  prompt: Prompt | null;
  /** Where input is guarded: what an answer to this screen has to name. */
  guarded: GuardedPrompt | null;
  /** The styled lines behind `state.lines`. */
  lines: readonly ScreenLine[];
  /** Monotonic seconds of the last change of text after the first capture; -Infinity when none. */
  changedAt: number;
  /** Monotonic seconds when a sign of work was last seen; -Infinity when never. */
  workingAt: number;
  /** Monotonic seconds since when the screen has shown what often lasts only a moment; else null. */
  unsettledAt: number | null;
  /** Monotonic seconds when the pane last had another size; -Infinity when never. */
  resizedAt: number;
  /** The status for an overlay to keep. */
  shown: PaneStatus;
  /** What the screen shows is not believed yet. */
  isUnsettled: boolean;
  /** The line that decided; null where none did. */
  decidingLine: string | null;
  /** Monotonic seconds since when that line has decided. */
  decidingSince: number;
  /** When it was seen to become this one; -Infinity when it was there from the start. */
  movedAt: number;
  state: PaneState;
}
