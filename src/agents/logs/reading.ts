import { setImmediate } from "node:timers/promises";
import { LABELS } from "../../detect/agents.ts";
import { codeOf } from "../../errors.ts";
import { AgeClock, type Clock } from "../../lib/clock.ts";
import { expandPath } from "../../lib/inside.ts";
import { openFile } from "../../lib/json-file.ts";
import type { Log } from "../../lib/log.ts";
import type { AgentRuntime } from "../../protocol/agents.ts";
import type { LogPosition } from "../store/logs.ts";
import type { AgentStore } from "../store/store.ts";
import { AgentHome, type HomeState } from "./homes.ts";
import { Projection } from "./projection.ts";
import type { RuntimeReader } from "./runtimes/reader.ts";
import { READERS } from "./runtimes/table.ts";
import { type LogFile, LogTail, newLog } from "./tail.ts";

const MAX_PASS_BYTES = 4 * 1024 * 1024;
const MAX_PASS_RECORDS = 5000;
const PASS_BUDGET_MS = 250;

const MAX_REMEMBERED = 10_000;

/** A home that does not exist is no fault: nobody uses that runtime here. */
const NOT_READ: Readonly<Partial<Record<HomeState, string>>> = {
  foreign: "belongs to another user and is not read",
  unreadable: "cannot be read",
};

/** The configured homes, and those that running programs were given. */
const MAX_HOMES = 16;

interface LogReadingDeps {
  store: AgentStore;
  homes: Readonly<Record<AgentRuntime, string>>;
  /** Epoch seconds: older messages are not imported. */
  retainedFrom: () => number;
  clock: Clock;
  log: Pick<Log, "warn">;
}

interface RuntimeHome {
  home: AgentHome;
  reader: RuntimeReader;
}

interface FollowedLog extends RuntimeHome {
  file: LogFile;
}

/**
 * Reads what is new in the session logs of all runtimes, in steps between which everything else
 * runs. The position is stored in one transaction with what was read: a step that is cut short is
 * repeated.
 */
export class LogReading {
  readonly #deps: LogReadingDeps;
  readonly #homes: RuntimeHome[];
  readonly #tail = new LogTail();
  /** By path: the version that was read to its end, or cannot be read. */
  readonly #finished = new Map<string, { version: string; isUnreadable: boolean }>();

  constructor(deps: LogReadingDeps) {
    this.#deps = deps;
    const { homes, clock } = deps;
    this.#homes = Object.values(READERS).map((reader) =>
      runtimeHome(reader, homes[reader.runtime], clock),
    );
  }

  /** The configured home; null where it cannot be read. */
  homeOf(runtime: AgentRuntime): string | null {
    const configured = this.#homes.find(({ reader }) => reader.runtime === runtime);
    return configured?.home.state === "ok" ? configured.home.path : null;
  }

  /** Reads another home from now on, also after its program has ended. */
  adopt(runtime: AgentRuntime, path: string): void {
    const reader = READERS[runtime];
    if (this.#homes.length >= MAX_HOMES) return;
    const isKnown = this.#homes.some((each) => each.reader === reader && each.home.path === path);
    if (!isKnown) this.#homes.push(runtimeHome(reader, path, this.#deps.clock));
  }

  /** A sentence on the homes that are not read; null when all are. */
  degraded(): string | null {
    const sentences = this.#homes.flatMap(({ home, reader }) => {
      const why = NOT_READ[home.state];
      return why === undefined ? [] : [`The data folder of ${LABELS[reader.runtime]} ${why}.`];
    });
    return sentences.length === 0 ? null : sentences.join(" ");
  }

  /** `live`: sessions of running processes. True when there is more to read at once. */
  async pass(signal: AbortSignal, live: ReadonlySet<string> = new Set()): Promise<boolean> {
    const until = performance.now() + PASS_BUDGET_MS;
    // Most of these files are gone; those that are still there are only checked again.
    if (this.#finished.size > MAX_REMEMBERED) this.#finished.clear();
    const waiting = (await this.#scan(live)).filter(
      ({ file }) => this.#finished.get(file.path)?.version !== versionOf(file),
    );
    let isMore = false;
    for (const [i, each] of inReadingOrder(waiting, (file) => this.#pending(file)).entries()) {
      if (signal.aborted) return false;
      if (i > 0 && performance.now() > until) return true;
      isMore = (await this.#follow(each, signal)) || isMore;
    }
    return isMore;
  }

  async #scan(live: ReadonlySet<string>): Promise<FollowedLog[]> {
    const logs: FollowedLog[] = [];
    for (const { home, reader } of this.#homes)
      for (const file of await home.scan(live)) logs.push({ file, home, reader });
    return logs;
  }

  /** Bytes. */
  #pending({ path, size }: LogFile): number {
    return size - (this.#deps.store.logs.get(path)?.position ?? 0);
  }

  /** True when the pass's share of this file did not reach its end. */
  async #follow({ file, home, reader }: FollowedLog, signal: AbortSignal): Promise<boolean> {
    const { path } = file;
    const version = versionOf(file);
    try {
      const isMore = await this.#readOn(file, reader, signal);
      if (!isMore && !signal.aborted) this.#finished.set(path, { version, isUnreadable: false });
      if (this.#deps.store.logs.get(path)?.isAside) home.exclude(file);
      return isMore;
    } catch (error) {
      // An error of the store concerns all logs, one of the file only this log.
      const code = codeOf(error);
      if (code === null || !/^E[A-Z]+$/.test(code)) throw error;
      if (!this.#finished.get(path)?.isUnreadable)
        this.#deps.log.warn(`a session log cannot be read (${code}); it is left out`);
      this.#finished.set(path, { version, isUnreadable: true });
      return false;
    }
  }

  async #readOn(file: LogFile, reader: RuntimeReader, signal: AbortSignal): Promise<boolean> {
    let log = this.#position(file, reader);
    if (this.#isExpired(file, log)) return false;
    if (log.isDormant) log = { ...log, inode: "", isDormant: false };
    await using handle = await openFile(file.path);
    const first = log.position;
    for (let records = 0; !signal.aborted;) {
      const step = await this.#tail.step(handle, file, log, reader);
      const isEnd = step.isAtEnd || step.log.position >= file.size;
      if (!step.isAtEnd || step.log !== log || log.isBehind)
        log = this.#store(step.log, step, reader, isEnd);
      if (isEnd) return false;
      records += step.records.length;
      const bytes = Math.abs(log.position - first);
      if (bytes >= MAX_PASS_BYTES || records >= MAX_PASS_RECORDS) return true;
      await setImmediate();
    }
    return false;
  }

  /** A log older than the retention is not imported until it grows. */
  #isExpired(file: LogFile, log: LogPosition): boolean {
    const { store, retainedFrom } = this.#deps;
    if (log.isDormant) return file.size === log.position;
    if (log.position > 0 || log.isBehind || file.changed >= retainedFrom()) return false;
    store.write(() => store.logs.put({ ...log, position: file.size, isDormant: true }), {
      isImport: true,
    });
    return true;
  }

  /** A session that was read to its end, with nothing within the retention, is dropped again. */
  #dropExpired(log: LogPosition): LogPosition {
    const { store, retainedFrom } = this.#deps;
    const { sessionId, path } = log;
    if (sessionId === null || store.sessions.get(sessionId) !== null) return log;
    const { lastAt } = store.sessions.facts(sessionId);
    if (lastAt === null || lastAt >= retainedFrom()) return log;
    store.expiry.dropSession(sessionId);
    return store.logs.get(path) ?? log;
  }

  #position(file: LogFile, reader: RuntimeReader): LogPosition {
    const { logs } = this.#deps.store;
    const known = logs.get(file.path);
    if (known !== null) return known;
    const moved = logs.findInode(file.inode);
    // The inode of a deleted file may be reused by a file of another birth.
    if (moved === null || moved.born !== file.born) return newLog(file, reader.runtime);
    return this.#deps.store.write(() => logs.rename(moved, file.path));
  }

  #store(
    log: LogPosition,
    step: { records: Parameters<Projection["apply"]>[0] },
    reader: RuntimeReader,
    isEnd: boolean,
  ): LogPosition {
    const { store, retainedFrom } = this.#deps;
    return store.write(
      () => {
        store.logs.put(log);
        const projection = new Projection({ store, reader, retainedFrom: retainedFrom() }, log);
        const after = projection.apply(step.records, isEnd);
        store.logs.put(after);
        return isEnd ? this.#dropExpired(after) : after;
      },
      { isImport: true, isQuiet: !isEnd },
    );
  }
}

function runtimeHome(reader: RuntimeReader, configured: string, clock: Clock): RuntimeHome {
  const path = expandPath(configured) ?? configured;
  return { reader, home: new AgentHome({ path, clock }) };
}

/** Logs with little to read come first, since they are live; then older files before newer ones. */
function inReadingOrder(
  logs: readonly FollowedLog[],
  pending: (file: LogFile) => number,
): FollowedLog[] {
  const rows = logs.map((log) => ({ log, isLong: pending(log.file) > MAX_PASS_BYTES }));
  rows.sort(
    (a, b) =>
      Number(a.isLong) - Number(b.isLong) ||
      a.log.file.born - b.log.file.born ||
      a.log.file.changed - b.log.file.changed,
  );
  return rows.map(({ log }) => log);
}

function versionOf({ inode, size, changed }: LogFile): string {
  return `${inode} ${size} ${changed}`;
}

const DAY_SECONDS = 24 * 60 * 60;

/** Deletes what is too old, several times a day. */
export class Retention {
  readonly #store: AgentStore;
  readonly #days: number;
  readonly #age: AgeClock;

  constructor(store: AgentStore, days: number, clock: Clock) {
    this.#store = store;
    this.#days = days;
    this.#age = new AgeClock(clock);
  }

  /** Epoch seconds before which nothing is kept, and nothing imported. */
  get from(): number {
    return this.#age.now() - this.#days * DAY_SECONDS;
  }

  /** An aborted one goes on the next time. */
  async keep(signal: AbortSignal): Promise<void> {
    if (signal.aborted || !this.#age.isDue) return;
    const { from } = this;
    const store = this.#store;
    if (await store.inBatches(() => store.expiry.expire(from), signal)) this.#age.look();
  }
}
