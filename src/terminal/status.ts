import type { Finding, Unsettled } from "../detect/finding.ts";
import type { PaneState, PaneStatus } from "../protocol/pane.ts";
import type { Attention, Observation, ObserveInput, Work } from "./record.ts";

/** For so long after output, or after a sign of work, a pane counts as working. */
const WORKING_LINGERS_SECONDS = 2;
/** A state that often lasts only a moment must hold this long before it is published. */
const UNSETTLED_SECONDS: Record<Unsettled, number> = { title: 1, drawing: 0.5 };
/** A line that shows work must have moved within this time: else it is left over from before. */
const MOVED_SECONDS = 3;
/** For so long after a resize a pane may show old text, moved or cut off, until its program redraws. */
export const REDRAWN_SECONDS = UNSETTLED_SECONDS.drawing;

/** Why a screen that has stood for `seconds` is not believed yet; null when it is. */
export function resolveUnsettled(
  { unsettled }: Finding,
  { seconds, isRedrawn }: { seconds: number; isRedrawn: boolean },
): Unsettled | null {
  if (isRedrawn) return "drawing";
  if (unsettled === null || seconds >= UNSETTLED_SECONDS[unsettled]) return null;
  return unsettled;
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
/** Work that is only supposed: a person may have typed the text that changed. */
const SUPPOSED_WORK: readonly string[] = [CHANGED_RULE, SENT_RULE];

interface StatusDecision {
  status: PaneStatus;
  rule: string;
}

type Times = Pick<Observation, "changedAt" | "workingAt" | "movedAt">;

/** What the pane is doing: what its screen shows, unless time says otherwise. */
export function decideStatus(
  { finding, pane, isAwaited, monotonic: now }: ObserveInput,
  before: Pick<Observation, "state" | "statusUnderOverlay"> | null,
  { changedAt, workingAt, movedAt }: Times,
  unsettled: Unsettled | null,
): StatusDecision {
  const { rule } = finding;
  // Text that changed because a person typed the command of an overlay is no work.
  if (finding.keepsPrevious && before) return { status: before.statusUnderOverlay, rule };
  if (unsettled && before) {
    const { status } = before.state;
    // An input line stands where the dialog was: the dialog is closed.
    const isOver = unsettled === "title" && status === "needs_input";
    return { status: isOver ? "working" : status, rule: UNSETTLED_RULES[unsettled] };
  }
  // A spinner or timer that moves on the screen is surer than a title.
  if (finding.worksBy && now - movedAt < MOVED_SECONDS)
    return { status: "working", rule: finding.worksBy };
  if (finding.status === "idle" && isAwaited) return { status: "working", rule: SENT_RULE };
  if (finding.status !== "idle" || finding.idleIsCertain) return { status: finding.status, rule };
  const isRecent = (time: number) => now - time < WORKING_LINGERS_SECONDS;
  // Not for shells: they echo what is typed, and keep the progress bar of a program that crashed.
  if (finding.kind !== "shell") {
    if (pane.hasProgress) return { status: "working", rule: PROGRESS_RULE };
    if (isRecent(changedAt)) return { status: "working", rule: CHANGED_RULE };
  }
  // Between two frames of its spinner an agent shows no sign of work.
  if (before?.state.status === "working" && isRecent(workingAt))
    return { status: "working", rule: HELD_RULE };
  return { status: "idle", rule };
}

/** The status to publish if an overlay comes next: not one that is only supposed. */
export function decideOverlayStatus(
  { status, rule }: StatusDecision,
  finding: Finding,
  before: PaneStatus | null,
): PaneStatus {
  if (finding.keepsPrevious) return before ?? status;
  const isSupposed = SUPPOSED_WORK.includes(rule) && before !== "working";
  return isSupposed ? finding.status : status;
}

/** Work shorter than this is over before anybody has turned away from it. */
export const WORKED_SECONDS = 10;
/** Between two parts of one turn an agent may look idle for a moment. */
const IDLE_SECONDS = 2;
/** Whoever acted so shortly before the end still looks at the pane: they may have ended the work. */
const ATTENTION_SECONDS = 3;

const NO_TURN = /\bcompact|\bcompress|\breconnecting to server\b/i;

export const NO_ATTENTION: Attention = { seenAt: -Infinity, actedAt: -Infinity };
export const NO_WORK: Work = { run: null, idleSince: null, finishedAt: null };

/**
 * `pane_done_v1`: whether an agent that worked for a while is done and nobody has looked since. Only
 * certain signs of work count, with breaks of moments; not those of a shell, of compacting a
 * conversation, of reaching a lost server, or of a time that was not watched.
 */
export function followWork(before: Work, state: PaneState, now: { at: number } & Attention): Work {
  if (state.stale) return breakRun(before);
  if (state.agent === null || state.kind === "shell") return NO_WORK;
  const { run } = before;
  if (state.status === "working") {
    if (SUPPOSED_WORK.includes(state.reason))
      return run ? { ...before, idleSince: null } : keepFinished(before, now);
    const isOwn = !NO_TURN.test(state.evidence[0] ?? "");
    const since = run?.since ?? now.at;
    return { run: { since, until: now.at, isOwn }, idleSince: null, finishedAt: null };
  }
  if (state.status !== "idle") return NO_WORK;
  if (!run) return keepFinished(before, now);
  const idleSince = before.idleSince ?? now.at;
  if (now.at - idleSince < IDLE_SECONDS) return { ...before, idleSince };
  const isLong = run.until - run.since >= WORKED_SECONDS;
  const isSeen = now.seenAt >= idleSince || now.actedAt >= run.until - ATTENTION_SECONDS;
  return { ...NO_WORK, finishedAt: isLong && run.isOwn && !isSeen ? idleSince : null };
}

function keepFinished(before: Work, { seenAt, actedAt }: Attention): Work {
  const { finishedAt } = before;
  return finishedAt !== null && Math.max(seenAt, actedAt) >= finishedAt ? NO_WORK : before;
}

/** After a failed pass or capture: a turn that ended meanwhile must not be reported. */
export function breakRun(work: Work): Work {
  return work.run === null ? work : { ...NO_WORK, finishedAt: work.finishedAt };
}
