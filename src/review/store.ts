import type { Database } from "bun:sqlite";
import { Table } from "../store/table.ts";
import { claim, TIMER_OFF, type Timer } from "./schedule.ts";

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
