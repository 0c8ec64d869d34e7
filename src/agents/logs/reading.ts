import { open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { LABELS } from "../../detect/agents.ts";
import { codeOf } from "../../errors.ts";
import { AgeClock, type Clock } from "../../lib/clock.ts";
import { expandPath } from "../../lib/inside.ts";
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

/** Why a home is not read; one that does not exist is that of a runtime nobody uses here. */
const NOT_READ: Readonly<Partial<Record<HomeState, string>>> = {
  foreign: "belongs to another user and is not read",
  unreadable: "cannot be read",
};

/** Those that are configured, and those of programs that were told of others. */
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
  found: LogFile;
}

/**
 * Reads what is new in the session logs of all runtimes, in steps between which everything else runs.
 * Position and what was read up to it are stored together: a step that is cut short never was.
 */
export class LogReading {
  readonly #deps: LogReadingDeps;
  readonly #homes: RuntimeHome[];
  readonly #tail = new LogTail();
  /** What each file was like when nothing more was to be read of it. */
  readonly #done = new Map<string, string>();
  readonly #refused = new Set<string>();

  constructor(deps: LogReadingDeps) {
    this.#deps = deps;
    const { homes, clock } = deps;
    this.#homes = Object.values(READERS).map((reader) =>
      observed(reader, homes[reader.runtime], clock),
    );
  }

  homeOf(runtime: AgentRuntime): string | null {
    const found = this.#homes.find(({ reader }) => reader.runtime === runtime);
    return found?.home.state === "ok" ? found.home.path : null;
  }

  /** Once for each: it is read from then on, also when that program has ended. */
  adopt(runtime: AgentRuntime, path: string): void {
    const reader = READERS[runtime];
    if (this.#homes.length >= MAX_HOMES) return;
    const isKnown = this.#homes.some((each) => each.reader === reader && each.home.path === path);
    if (!isKnown) this.#homes.push(observed(reader, path, this.#deps.clock));
  }

  /** A sentence on what is not read at all; null when nothing is amiss. */
  degraded(): string | null {
    const sentences = this.#homes.flatMap(({ home, reader }) => {
      const why = NOT_READ[home.state];
      return why === undefined ? [] : [`The data folder of ${LABELS[reader.runtime]} ${why}.`];
    });
    return sentences.length === 0 ? null : sentences.join(" ");
  }

  /** `live`: sessions that running processes name. True when there is more to read at once. */
  async pass(signal: AbortSignal, live: ReadonlySet<string> = new Set()): Promise<boolean> {
    const until = performance.now() + PASS_BUDGET_MS;
    // Of logs that were left out long ago, or are gone: those that are still there are looked at again.
    if (this.#done.size > MAX_REMEMBERED)
      for (const set of [this.#done, this.#refused]) set.clear();
    const waiting = (await this.#found(live)).filter(({ found }) => this.#isNew(found));
    let isMore = false;
    for (const [i, each] of inOrder(waiting, (found) => this.#pending(found)).entries()) {
      if (signal.aborted) return false;
      if (i > 0 && performance.now() > until) return true;
      isMore = (await this.#follow(each, signal)) || isMore;
    }
    return isMore;
  }

  async #found(live: ReadonlySet<string>): Promise<FollowedLog[]> {
    const found: FollowedLog[] = [];
    for (const { home, reader } of this.#homes)
      for (const each of await home.scan(live)) found.push({ found: each, home, reader });
    return found;
  }

  #isNew(found: LogFile): boolean {
    return this.#done.get(found.path) !== versionOf(found);
  }

  #pending(found: LogFile): number {
    return found.size - (this.#deps.store.logs.get(found.path)?.position ?? 0);
  }

  /** True when the pass's share of this file did not reach its end. */
  async #follow({ found, home, reader }: FollowedLog, signal: AbortSignal): Promise<boolean> {
    try {
      const isMore = await this.#readOn(found, reader, signal);
      if (!isMore && !signal.aborted) this.#done.set(found.path, versionOf(found));
      if (this.#deps.store.logs.get(found.path)?.isAside) home.exclude(found);
      this.#refused.delete(found.path);
      return isMore;
    } catch (error) {
      // A store that fails is the bundle's matter; a file that does is its own.
      const code = codeOf(error);
      if (code === null || !/^E[A-Z]+$/.test(code)) throw error;
      if (!this.#refused.has(found.path))
        this.#deps.log.warn(`a session log cannot be read (${code}); it is left out`);
      this.#refused.add(found.path);
      this.#done.set(found.path, versionOf(found));
      return false;
    }
  }

  async #readOn(found: LogFile, reader: RuntimeReader, signal: AbortSignal): Promise<boolean> {
    let log = this.#position(found, reader);
    if (this.#isForgotten(found, log)) return false;
    if (log.isDormant) log = { ...log, inode: "", isDormant: false };
    await using handle = await open(found.path, "r");
    const first = log.position;
    for (let records = 0; !signal.aborted;) {
      const step = await this.#tail.step(handle, found, log, reader);
      const isEnd = step.isAtEnd || step.log.position >= found.size;
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

  /** Older than what is kept: its session is not told of, and comes when its log grows. */
  #isForgotten(found: LogFile, log: LogPosition): boolean {
    const { store, retainedFrom } = this.#deps;
    if (log.isDormant) return found.size === log.position;
    if (log.position > 0 || log.isBehind || found.changed >= retainedFrom()) return false;
    store.write(() => store.logs.put({ ...log, position: found.size, isDormant: true }), {
      isImport: true,
    });
    return true;
  }

  /** A log of which nothing is kept, read to its end: its session goes again. */
  #leftAlone(log: LogPosition): LogPosition {
    const { store, retainedFrom } = this.#deps;
    const { sessionId, path } = log;
    if (sessionId === null || store.sessions.get(sessionId) !== null) return log;
    const { lastAt } = store.sessions.facts(sessionId);
    if (lastAt === null || lastAt >= retainedFrom()) return log;
    store.expiry.dropSession(sessionId);
    return store.logs.get(path) ?? log;
  }

  #position(found: LogFile, reader: RuntimeReader): LogPosition {
    const { logs } = this.#deps.store;
    const known = logs.get(found.path);
    if (known !== null) return known;
    const moved = logs.findInode(found.inode);
    // A number of a file that is gone is given to another one, which was made at another time.
    if (moved === null || moved.born !== found.born) return newLog(found, reader.runtime);
    return this.#deps.store.write(() => logs.rename(moved, found.path));
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
        return isEnd ? this.#leftAlone(after) : after;
      },
      { isImport: true, isQuiet: !isEnd },
    );
  }
}

function observed(reader: RuntimeReader, configured: string, clock: Clock): RuntimeHome {
  const path = expandPath(configured) ?? configured;
  return { reader, home: new AgentHome({ path, clock }) };
}

/** What is live has little to read and comes first; then the older file before the newer one. */
function inOrder(list: readonly FollowedLog[], pending: (found: LogFile) => number): FollowedLog[] {
  const rows = list.map((each) => ({ each, isLong: pending(each.found) > MAX_PASS_BYTES }));
  rows.sort(
    (a, b) =>
      Number(a.isLong) - Number(b.isLong) ||
      a.each.found.born - b.each.found.born ||
      a.each.found.changed - b.each.found.changed,
  );
  return rows.map(({ each }) => each);
}

function versionOf({ inode, size, changed }: LogFile): string {
  return `${inode} ${size} ${changed}`;
}

const DAY_SECONDS = 24 * 60 * 60;

/** Epoch seconds before which nothing is kept, and nothing imported. */
export function retainedFrom(now: number, days: number): number {
  return now - days * DAY_SECONDS;
}

/** Deletes what is too old, several times a day: a look costs little where nothing is. */
export class Retention {
  readonly #store: AgentStore;
  readonly #days: number;
  readonly #age: AgeClock;

  constructor(store: AgentStore, days: number, clock: Clock) {
    this.#store = store;
    this.#days = days;
    this.#age = new AgeClock(clock);
  }

  get from(): number {
    return retainedFrom(this.#age.now(), this.#days);
  }

  /** One that is aborted goes on next time. */
  async keep(signal: AbortSignal): Promise<void> {
    if (signal.aborted || !this.#age.isDue) return;
    const { from } = this;
    const store = this.#store;
    if (await store.inBatches(() => store.expiry.expire(from), signal)) this.#age.look();
  }
}
