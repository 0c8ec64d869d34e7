import type { Database } from "bun:sqlite";
import type { Act, ActAbout, ActKind, ActState } from "../../protocol/act.ts";
import type { AccessEvent, AccessKind, ActsQuery } from "../../protocol/acts.ts";
import { closeDatabase } from "../../store/database.ts";
import { Table } from "../../store/table.ts";

export const PAGE_ROWS = 100;
const MAX_ROWS = 50_000;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

interface Row {
  seq: number;
  kind: string;
  at: number;
  by_grant: string;
  by_name: string;
  label: string;
  key: string | null;
  pane_id: string | null;
  target: string | null;
  identity: string | null;
  about_kind: string | null;
  about_text: string | null;
  state: string | null;
  reason: string | null;
  count: number;
}

export type StoredAct = Act & { seq: number; identity: string | null };
export type StoredEvent = AccessEvent & { seq: number };

export interface Fate {
  state: ActState;
  reason: string | null;
}

export interface StoredRequest {
  digest: string;
  /** JSON; null while the request runs, and for ever where the service ended meanwhile. */
  outcome: string | null;
}

export type ActsPage = Omit<ActsQuery, "keys"> & { withEvents: boolean };

export class ActStore {
  readonly #database: Database;
  readonly #record: Table<Row>;
  readonly #requests: Table<StoredRequest & { key: string; at: number }>;
  readonly #runs: Table<{ incarnation: string; at: number }>;
  #isSynced: boolean | null = null;

  /** False once the file was removed or replaced: no start would read what is written. */
  readonly isInPlace: () => boolean;

  constructor(database: Database, isInPlace = () => true) {
    this.#database = database;
    this.isInPlace = isInPlace;
    this.#record = new Table(database, "record");
    this.#requests = new Table(database, "requests");
    this.#runs = new Table(database, "runs");
  }

  close(): void {
    closeDatabase(this.#database, this.isInPlace);
  }

  /** One transaction; where `isSynced`, it survives a power cut, and the disk is waited for. */
  write<T>(isSynced: boolean, change: () => T): T {
    if (this.#isSynced !== isSynced)
      this.#database.run(`PRAGMA synchronous = ${isSynced ? "FULL" : "NORMAL"}`);
    this.#isSynced = isSynced;
    return this.#database.transaction(change).immediate();
  }

  beginRun(incarnation: string, at: number): void {
    this.#runs.insert({ incarnation, at }, "INSERT OR IGNORE");
  }

  isKnownRun(incarnation: string): boolean {
    return this.#runs.find("WHERE incarnation = ?", incarnation) !== null;
  }

  request(key: string): StoredRequest | null {
    return this.#requests.find("WHERE key = ?", key);
  }

  reserve(key: string, digest: string, at: number): void {
    this.#requests.insert({ key, digest, at }, "INSERT OR IGNORE");
  }

  finish(key: string, outcome: string): void {
    this.#requests.update({ outcome }, "WHERE key = ?", key);
  }

  add(act: Omit<StoredAct, "seq">): number {
    const { by, about, ...rest } = act;
    const who = { by_grant: by.grant, by_name: by.name };
    const prompt = { about_kind: about?.kind ?? null, about_text: about?.text ?? null };
    return this.#record.insert({ ...rest, ...who, ...prompt });
  }

  end(seq: number, { state, reason }: Fate): void {
    this.#record.update({ state, reason }, "WHERE seq = ?", seq);
  }

  note({ kind, what, by, at, count }: AccessEvent): void {
    const who = { by_grant: by.grant, by_name: by.name };
    this.#record.insert({ kind, at, ...who, label: what, count });
  }

  /** One row an hour, with the count of them and the last address. */
  signRefused(what: string, at: number): void {
    const last = this.#record.find(
      "WHERE kind = 'sign_refused' AND abs(at - ?) < ? ORDER BY seq DESC LIMIT 1",
      ...[at, HOUR_SECONDS],
    );
    if (last)
      this.#record.update({ count: last.count + 1, label: what }, "WHERE seq = ?", last.seq);
    else this.note({ kind: "sign_refused", what, by: { grant: "", name: what }, at, count: 1 });
  }

  /** Ends the acts that an earlier run left open. */
  recover(fate: Fate): StoredAct[] {
    const open = this.#record.all("WHERE state = 'sending' ORDER BY seq");
    for (const { seq } of open) this.end(seq, fate);
    return open.map((row) => ({ ...actOf(row), ...fate }));
  }

  withKey(key: string): StoredAct[] {
    return this.#record.all("WHERE key = ? ORDER BY seq", key).map(actOf);
  }

  page({ before, pane, by, kind, withEvents }: ActsPage): (StoredAct | StoredEvent)[] {
    const rows = this.#record.all(
      `WHERE seq < ?1 AND (?2 IS NULL OR pane_id = ?2 OR target = ?2)
        AND (?3 IS NULL OR by_grant = ?3) AND (?4 IS NULL OR kind = ?4)
        AND (?5 OR state IS NOT NULL) ORDER BY seq DESC LIMIT ?6`,
      ...[before ?? Number.MAX_SAFE_INTEGER, pane ?? null, by ?? null, kind ?? null],
      ...[Number(withEvents), PAGE_ROWS + 1],
    );
    return rows.map((row) => (row.state === null ? eventOf(row) : actOf(row)));
  }

  /** Deletes rows that are older than that, and all but the newest `MAX_ROWS`. */
  prune(days: number, now: number): void {
    const oldest = now - days * DAY_SECONDS;
    this.#record.delete("WHERE at < ? AND state IS NOT 'sending'", oldest);
    this.#record.delete(
      "WHERE seq <= (SELECT max(seq) FROM record) - ? AND state IS NOT 'sending'",
      MAX_ROWS,
    );
    const last = this.#requests.value<number>("at", "ORDER BY at DESC LIMIT 1 OFFSET ?", MAX_ROWS);
    const from = Math.max(last ?? oldest, oldest);
    this.#requests.delete("WHERE at <= ?", from);
    // With some requests of a run deleted, nobody can say which ones never arrived.
    this.#runs.delete("WHERE at <= ?", from);
  }
}

// The casts hold: this class alone writes these columns, from values of these types.
function actOf(row: Row): StoredAct {
  const { seq, at, label, key, pane_id, target, identity, reason, about_kind, about_text } = row;
  const about =
    about_kind === null ? null : ({ kind: about_kind, text: about_text ?? "" } as ActAbout);
  return {
    ...{ seq, key: key ?? "", pane_id: pane_id ?? "", target: target ?? "", identity },
    ...{ kind: row.kind as ActKind, label, about, by: byOf(row), at },
    ...{ state: row.state as ActState, reason },
  };
}

function eventOf(row: Row): StoredEvent {
  const { seq, at, label, count } = row;
  return { seq, kind: row.kind as AccessKind, what: label, by: byOf(row), at, count };
}

const byOf = ({ by_grant, by_name }: Row) => ({ grant: by_grant, name: by_name });
