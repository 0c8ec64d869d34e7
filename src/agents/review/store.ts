import type { Database } from "bun:sqlite";
import {
  INTERVAL_PRESETS,
  MAX_INTERVAL_MINUTES,
  MIN_INTERVAL_MINUTES,
  type ReviewCounts,
  type ReviewDue,
  type ReviewSettings,
  type ReviewSettingsPatch,
} from "../../protocol/review.ts";
import { Table } from "../../store/table.ts";

const SECONDS_PER_MINUTE = 60;

export interface Timer {
  /** Null: batching is off. */
  interval_minutes: number | null;
  next_due_at: number | null;
  last_digest_at: number | null;
  /** A window ended with work, and nothing has been marked as reviewed since. */
  due_since: number | null;
  /** 0 or 1; null until a person sets it: then the configuration's `push.on_error` counts. */
  urgent_pane_errors: number | null;
}

export const TIMER_OFF: Timer = {
  interval_minutes: null,
  next_due_at: null,
  last_digest_at: null,
  due_since: null,
  urgent_pane_errors: null,
};

/**
 * A new interval begins a window now, the same one leaves the window as it is, null ends it. The
 * first time that it is switched on, `onError` is stored unless the patch sets errors.
 */
export function changeTimer(
  timer: Timer,
  patch: ReviewSettingsPatch,
  { now, onError }: { now: number; onError: boolean },
): Timer {
  const { interval_minutes = timer.interval_minutes } = patch;
  const isUrgent = patch.urgent_pane_errors ?? timer.urgent_pane_errors;
  const urgent_pane_errors = isUrgent === null ? null : Number(isUrgent);
  if (interval_minutes === timer.interval_minutes) return { ...timer, urgent_pane_errors };
  const isOff = interval_minutes === null;
  return {
    ...timer,
    interval_minutes,
    next_due_at: isOff ? null : now + interval_minutes * SECONDS_PER_MINUTE,
    due_since: null,
    urgent_pane_errors: isOff ? urgent_pane_errors : (urgent_pane_errors ?? Number(onError)),
  };
}

/** After a review the next window begins now. */
export function restartWindow(timer: Timer, now: number): Timer {
  return timer.interval_minutes === null
    ? timer
    : { ...timer, next_due_at: now + timer.interval_minutes * SECONDS_PER_MINUTE, due_since: null };
}

/**
 * Ends a window that is due. `digest` is the window to send a digest for: many that passed while
 * the service was off count as one. After a clock was set back no window is further away than an
 * interval.
 */
export function claimWindow(
  timer: Timer,
  now: number,
  hasWork: boolean,
): { timer: Timer; digest: number | null } {
  const { interval_minutes, next_due_at } = timer;
  if (interval_minutes === null || next_due_at === null) return { timer, digest: null };
  const next = now + interval_minutes * SECONDS_PER_MINUTE;
  if (now < next_due_at)
    return { timer: next_due_at > next ? { ...timer, next_due_at: next } : timer, digest: null };
  const ended = { ...timer, next_due_at: next };
  if (!hasWork) return { timer: ended, digest: null };
  const due_since = timer.due_since ?? now;
  return { timer: { ...ended, last_digest_at: now, due_since }, digest: next_due_at };
}

export function settingsOf(timer: Timer, onError: boolean): ReviewSettings {
  return {
    enabled: timer.interval_minutes !== null,
    interval_minutes: timer.interval_minutes,
    next_due_at: timer.next_due_at,
    last_digest_at: timer.last_digest_at,
    urgent_bypass: {
      high_critical_decisions: true,
      pane_errors: timer.urgent_pane_errors === null ? onError : timer.urgent_pane_errors === 1,
    },
    min_interval_minutes: MIN_INTERVAL_MINUTES,
    max_interval_minutes: MAX_INTERVAL_MINUTES,
    presets: [...INTERVAL_PRESETS],
  };
}

/** A window stays due until something is marked as reviewed: its digest may lie unread. */
export function dueOf(timer: Timer, counts: ReviewCounts, now: number): ReviewDue {
  const isReached = timer.next_due_at !== null && timer.next_due_at <= now;
  return {
    is_due: timer.interval_minutes !== null && (isReached || timer.due_since !== null),
    urgent: counts.urgent_items > 0,
    has_work: counts.total_cards > 0,
    next_due_at: timer.next_due_at,
  };
}

export class ReviewStore {
  readonly #database: Database;
  readonly #timer: Table<Timer & { id: number }>;
  readonly #digests: Table<{ window_at: number; created_at: number; taken_at: number | null }>;

  constructor(database: Database) {
    this.#database = database;
    this.#timer = new Table(database, "review_timer");
    this.#digests = new Table(database, "review_digests");
  }

  timer(): Timer {
    return this.#timer.find("") ?? TIMER_OFF;
  }

  change(next: (timer: Timer) => Timer): Timer {
    return this.#database.transaction(() => this.#write(next(this.timer()))).immediate();
  }

  /**
   * Ends a window that is due and stores its digest in the same transaction: a restart in between
   * loses none.
   * @returns whether the timer changed
   */
  claim(now: number, hasWork: boolean): boolean {
    const step = this.#database.transaction(() => {
      const before = this.timer();
      const { timer, digest } = claimWindow(before, now, hasWork);
      if (timer === before) return false;
      this.#write(timer);
      if (digest !== null)
        this.#digests.insert({ window_at: digest, created_at: now }, "INSERT OR IGNORE");
      return true;
    });
    return step.immediate();
  }

  /** Takes all digests, each of which is sent once; those written before `since` are dropped. */
  takeDigests(now: number, since: number): number {
    const digests = this.#database
      .query<{ created_at: number }, [number]>(
        "UPDATE review_digests SET taken_at = ? WHERE taken_at IS NULL RETURNING created_at",
      )
      .all(now);
    this.#digests.delete("WHERE created_at < ?", since);
    return digests.filter(({ created_at }) => created_at >= since).length;
  }

  #write(timer: Timer): Timer {
    this.#timer.insert({ ...timer, id: 1 }, "INSERT OR REPLACE");
    return timer;
  }
}
