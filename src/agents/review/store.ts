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
  /** A window was reached with work, and nothing has been marked as reviewed since. */
  due_since: number | null;
  /** 0 or 1; null until somebody decided: then the configuration's `push.on_error` counts. */
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
 * The timer after a change of settings. A new interval begins a window now, the same one leaves the
 * window as it is, null ends it; the first switching on without a word on errors takes `onError`.
 */
export function changed(
  timer: Timer,
  patch: ReviewSettingsPatch,
  { now, onError }: { now: number; onError: boolean },
): Timer {
  const { interval_minutes = timer.interval_minutes } = patch;
  const told = patch.urgent_pane_errors ?? timer.urgent_pane_errors;
  const urgent_pane_errors = told === null ? null : Number(told);
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

/** Something was marked as reviewed: the next window begins now. */
export function reviewed(timer: Timer, now: number): Timer {
  return timer.interval_minutes === null
    ? timer
    : { ...timer, next_due_at: now + timer.interval_minutes * SECONDS_PER_MINUTE, due_since: null };
}

/**
 * Ends a window that was reached: the timer to store, and the window that a digest goes out for.
 * However many windows passed while nobody looked, they are one; a clock that was set back leaves no
 * window further away than an interval.
 */
export function claim(
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

/** A reached window stays due until something is marked as reviewed: its digest may lie unread. */
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
      const { timer, digest } = claim(before, now, hasWork);
      if (timer === before) return false;
      this.#write(timer);
      if (digest !== null)
        this.#digests.insert({ window_at: digest, created_at: now }, "INSERT OR IGNORE");
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
    this.#timer.insert({ ...timer, id: 1 }, "INSERT OR REPLACE");
    return timer;
  }
}
