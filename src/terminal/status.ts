import type { Finding, Unsettled } from "../detect/finding.ts";
import type { PaneState, PaneStatus } from "../protocol/pane.ts";

/** A pane that printed is working, and one that worked is not idle, for so long. */
export const WORKING_LINGERS_SECONDS = 2;
/** A state that often lasts only a moment must hold this long before it is published. */
const UNSETTLED_SECONDS: Record<Unsettled, number> = { title: 1, drawing: 0.5 };
/** A line that says that its program works, and stands still for so long, is left from before. */
const MOVED_SECONDS = 3;
/** Until its program draws again, a pane of another size shows what there was, moved or cut off. */
export const REDRAWN_SECONDS = UNSETTLED_SECONDS.drawing;

/** Why what the screen has shown for so many seconds is not believed yet, or null when it is. */
export function unsettledBy(
  { unsettled }: Finding,
  { seconds, isRedrawn }: { seconds: number; isRedrawn: boolean },
): Unsettled | null {
  if (isRedrawn) return "drawing";
  if (unsettled === null || seconds >= UNSETTLED_SECONDS[unsettled]) return null;
  return unsettled;
}

/** All times are monotonic seconds; -Infinity is never. */
export interface StatusFacts {
  now: number;
  finding: Finding;
  /** What is published of it. */
  before: PaneState | null;
  changedAt: number;
  workingAt: number;
  unsettled: Unsettled | null;
  /** When the line that decided was seen to become another one. */
  movedAt: number;
  /** What the screen last showed for sure; null of a pane that was never seen before. */
  shown: PaneStatus | null;
  hasProgress: boolean;
  isAwaited: boolean;
}

/** Statuses that time decides (docs/detection.md). */
const UNSETTLED_RULES: Record<Unsettled, string> = {
  title: "settle.title",
  drawing: "settle.drawing",
};
const CHANGED_RULE = "settle.changed";
const HELD_RULE = "settle.held";
const PROGRESS_RULE = "settle.progress";
const SENT_RULE = "settle.sent";
/** Work that is only supposed: text that changes may be a person's typing. */
export const SUPPOSED_WORK: readonly string[] = [CHANGED_RULE, SENT_RULE];

export interface StatusDecision {
  status: PaneStatus;
  rule: string;
}

/** What the pane is doing: what its screen shows, unless time says otherwise. */
export function decideStatus({
  now,
  finding,
  before,
  changedAt,
  workingAt,
  unsettled,
  movedAt,
  shown,
  hasProgress,
  isAwaited,
}: StatusFacts): StatusDecision {
  const { rule } = finding;
  // A person who typed the command of an overlay changed the text, and that is no work.
  if (finding.keepsPrevious && before) return { status: shown ?? before.status, rule };
  if (unsettled && before) {
    const { status } = before;
    // An input line stands in the dialog's place: it has gone.
    const isOver = unsettled === "title" && status === "needs_input";
    return { status: isOver ? "working" : status, rule: UNSETTLED_RULES[unsettled] };
  }
  // A spinner or timer that moves on the screen knows better than who looks at a title.
  if (finding.worksBy && now - movedAt < MOVED_SECONDS)
    return { status: "working", rule: finding.worksBy };
  if (finding.status === "idle" && isAwaited) return { status: "working", rule: SENT_RULE };
  if (finding.status !== "idle" || finding.idleIsCertain) return { status: finding.status, rule };
  const isRecent = (time: number) => now - time < WORKING_LINGERS_SECONDS;
  // A shell echoes what is typed into it, and a program that crashed leaves its progress bar there.
  if (finding.kind !== "shell") {
    if (hasProgress) return { status: "working", rule: PROGRESS_RULE };
    if (isRecent(changedAt)) return { status: "working", rule: CHANGED_RULE };
  }
  // Between two frames of its spinner an agent shows no sign of work: hold it until it is settled.
  if (before?.status === "working" && isRecent(workingAt))
    return { status: "working", rule: HELD_RULE };
  return { status: "idle", rule };
}

/** The status for an overlay to keep: not one that is only supposed. */
export function shownBy(
  { status, rule }: StatusDecision,
  { finding, before }: { finding: Finding; before: PaneStatus | null },
): PaneStatus {
  if (finding.keepsPrevious) return before ?? status;
  const isSupposed = SUPPOSED_WORK.includes(rule) && before !== "working";
  return isSupposed ? finding.status : status;
}
