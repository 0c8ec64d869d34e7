import type { PaneState } from "../protocol/pane.ts";
import { SUPPOSED_WORK } from "./status.ts";

/** Work shorter than this is over before anybody has turned away from it. */
export const WORKED_SECONDS = 10;
/** Between two parts of one turn an agent may look idle for a moment. */
const IDLE_SECONDS = 2;
/** Who has acted so shortly before the end is still there: they may have ended it. */
const ATTENTION_SECONDS = 3;

const COMPACTION = /\bcompact|\bcompress/i;

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

export const NO_ATTENTION: Attention = { seenAt: -Infinity, actedAt: -Infinity };
export const NO_WORK: Work = { run: null, idleSince: null, finishedAt: null };

/**
 * `pane_done_v1`: whether an agent that has worked for a while is done and nobody has looked since.
 * Only signs of work count, without a break but for moments; not a shell's, not the compaction of
 * a conversation, and nothing that was not watched.
 */
export function followWork(before: Work, state: PaneState, now: { at: number } & Attention): Work {
  if (state.stale) return unwatched(before);
  if (state.agent === null || state.kind === "shell") return NO_WORK;
  const { run } = before;
  if (state.status === "working") {
    if (SUPPOSED_WORK.includes(state.reason)) return run ? { ...before, idleSince: null } : before;
    const isOwn = !COMPACTION.test(state.evidence[0] ?? "");
    const since = run?.since ?? now.at;
    return { run: { since, until: now.at, isOwn }, idleSince: null, finishedAt: null };
  }
  if (state.status !== "idle") return NO_WORK;
  if (!run) return stillFinished(before, Math.max(now.seenAt, now.actedAt));
  const idleSince = before.idleSince ?? now.at;
  if (now.at - idleSince < IDLE_SECONDS) return { ...before, idleSince };
  const isLong = run.until - run.since >= WORKED_SECONDS;
  const isSeen = now.seenAt >= idleSince || now.actedAt >= run.until - ATTENTION_SECONDS;
  return { ...NO_WORK, finishedAt: isLong && run.isOwn && !isSeen ? idleSince : null };
}

function stillFinished(before: Work, lookedAt: number): Work {
  return before.finishedAt !== null && lookedAt >= before.finishedAt ? NO_WORK : before;
}

/** After a pass or a capture that failed: a turn that ended meanwhile ends unnoticed. */
export function unwatched(work: Work): Work {
  return work.run === null ? work : { ...NO_WORK, finishedAt: work.finishedAt };
}
