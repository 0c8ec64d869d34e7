import type { Database } from "bun:sqlite";
import {
  INTERVAL_PRESETS,
  MAX_INTERVAL_MINUTES,
  MIN_INTERVAL_MINUTES,
  type ReviewCounts,
  type ReviewDue,
  type ReviewSettings,
  type ReviewSettingsPatch,
} from "../protocol/review.ts";
import { Table } from "../store/table.ts";

const SECONDS_PER_MINUTE = 60;

export interface Timer {
  /** Null: batching is off. */
  intervalMinutes: number | null;
  nextDueAt: number | null;
  lastDigestAt: number | null;
  /** A window was reached with work, and nothing has been marked as reviewed since. */
  dueSince: number | null;
  /** Null until somebody decided: then the configuration's `push.on_error` counts. */
  urgentPaneErrors: boolean | null;
}

export const TIMER_OFF: Timer = {
  intervalMinutes: null,
  nextDueAt: null,
  lastDigestAt: null,
  dueSince: null,
  urgentPaneErrors: null,
};

/**
 * The timer after a change of settings. A new interval begins a window now, the same one leaves the
 * window as it is, null ends it; the first switching on without a word on errors takes `onError`.
 */
export function changed(
  timer: Timer,
  patch: ReviewSettingsPatch,
  { now, onError }: { now: number; onError: boolean },
): Timer {
  const told = patch.urgent_pane_errors ?? timer.urgentPaneErrors;
  const { interval_minutes } = patch;
  if (interval_minutes === undefined || interval_minutes === timer.intervalMinutes)
    return { ...timer, urgentPaneErrors: told };
  if (interval_minutes === null)
    return {
      ...timer,
      intervalMinutes: null,
      nextDueAt: null,
      dueSince: null,
      urgentPaneErrors: told,
    };
  return {
    ...timer,
    intervalMinutes: interval_minutes,
    nextDueAt: now + interval_minutes * SECONDS_PER_MINUTE,
    dueSince: null,
    urgentPaneErrors: told ?? onError,
  };
}

/** Something was marked as reviewed: the next window begins now. */
export function reviewed(timer: Timer, now: number): Timer {
  return timer.intervalMinutes === null
    ? timer
    : { ...timer, nextDueAt: now + timer.intervalMinutes * SECONDS_PER_MINUTE, dueSince: null };
}

/** What a look at the clock brings: the timer to store, and whether a digest goes out for it. */
interface Claim {
  timer: Timer;
  /** The window that ended, epoch seconds; null when none did. */
  window: number | null;
  isDigestDue: boolean;
}

/**
 * Ends a window that was reached. However many windows passed while nobody looked, they are one;
 * a clock that was set back leaves no window further away than an interval.
 */
export function claim(timer: Timer, now: number, hasWork: boolean): Claim {
  const { intervalMinutes, nextDueAt } = timer;
  if (intervalMinutes === null || nextDueAt === null)
    return { timer, window: null, isDigestDue: false };
  const length = intervalMinutes * SECONDS_PER_MINUTE;
  if (now < nextDueAt) {
    const latest = now + length;
    const next = nextDueAt > latest ? { ...timer, nextDueAt: latest } : timer;
    return { timer: next, window: null, isDigestDue: false };
  }
  const next = { ...timer, nextDueAt: now + length };
  if (!hasWork) return { timer: next, window: nextDueAt, isDigestDue: false };
  const due = { ...next, lastDigestAt: now, dueSince: timer.dueSince ?? now };
  return { timer: due, window: nextDueAt, isDigestDue: true };
}

export function settingsOf(timer: Timer, onError: boolean): ReviewSettings {
  return {
    enabled: timer.intervalMinutes !== null,
    interval_minutes: timer.intervalMinutes,
    next_due_at: timer.nextDueAt,
    last_digest_at: timer.lastDigestAt,
    urgent_bypass: {
      high_critical_decisions: true,
      pane_errors: timer.urgentPaneErrors ?? onError,
    },
    min_interval_minutes: MIN_INTERVAL_MINUTES,
    max_interval_minutes: MAX_INTERVAL_MINUTES,
    presets: [...INTERVAL_PRESETS],
  };
}

/** A reached window stays due until something is marked as reviewed: its digest may lie unread. */
export function dueOf(timer: Timer, counts: ReviewCounts, now: number): ReviewDue {
  const isReached = timer.nextDueAt !== null && timer.nextDueAt <= now;
  return {
    is_due: timer.intervalMinutes !== null && (isReached || timer.dueSince !== null),
    urgent: counts.urgent_items > 0,
    has_work: counts.total_cards > 0,
    next_due_at: timer.nextDueAt,
  };
}

interface TimerRow {
  id: number;
  interval_minutes: number | null;
  next_due_at: number | null;
  last_digest_at: number | null;
  due_since: number | null;
  urgent_pane_errors: number | null;
}

export class ReviewStore {
  readonly #database: Database;
  readonly #timer: Table<TimerRow>;
  readonly #digests: Table<{ window_at: number; created_at: number; taken_at: number | null }>;

  constructor(database: Database) {
    this.#database = database;
    this.#timer = new Table(database, "review_timer");
    this.#digests = new Table(database, "review_digests");
  }

  timer(): Timer {
    const row = this.#timer.find("");
    if (!row) return TIMER_OFF;
    return {
      intervalMinutes: row.interval_minutes,
      nextDueAt: row.next_due_at,
      lastDigestAt: row.last_digest_at,
      dueSince: row.due_since,
      urgentPaneErrors: row.urgent_pane_errors === null ? null : row.urgent_pane_errors === 1,
    };
  }

  /** Changes the timer in one transaction; the result is the new one. */
  change(next: (timer: Timer) => Timer): Timer {
    const step = this.#database.transaction(() => this.#write(next(this.timer())));
    return step.immediate();
  }

  /**
   * Ends a window that was reached and writes its digest in the same transaction: of two openers
   * one gets it, and a restart in between loses none.
   * @returns whether the timer changed
   */
  claim(now: number, hasWork: boolean): boolean {
    const step = this.#database.transaction(() => {
      const before = this.timer();
      const { timer, window, isDigestDue } = claim(before, now, hasWork);
      if (timer === before) return false;
      this.#write(timer);
      if (isDigestDue && window !== null)
        this.#digests.insert({ window_at: window, created_at: now }, "INSERT OR IGNORE");
      return true;
    });
    return step.immediate();
  }

  /**
   * Takes the digests that nobody has taken; each is given out once. Those written before `since`
   * come too late to be of use: they are taken and left out.
   */
  takeDigests(now: number, since: number): number {
    const taken = this.#database
      .query<{ created_at: number }, [number]>(
        "UPDATE review_digests SET taken_at = ? WHERE taken_at IS NULL RETURNING created_at",
      )
      .all(now);
    this.#digests.delete("WHERE created_at < ?", since);
    return taken.filter(({ created_at }) => created_at >= since).length;
  }

  #write(timer: Timer): Timer {
    const { intervalMinutes, nextDueAt, lastDigestAt, dueSince, urgentPaneErrors } = timer;
    const times = { next_due_at: nextDueAt, last_digest_at: lastDigestAt, due_since: dueSince };
    const urgent_pane_errors = urgentPaneErrors === null ? null : Number(urgentPaneErrors);
    const row = { id: 1, interval_minutes: intervalMinutes, ...times, urgent_pane_errors };
    this.#timer.insert(row, "INSERT OR REPLACE");
    return timer;
  }
}
