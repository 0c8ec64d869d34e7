import type { FileHandle } from "node:fs/promises";
import { isAbsolute, relative } from "node:path";
import { openFile } from "../../lib/json-file.ts";
import { Semaphore } from "../../lib/lock.ts";
import type { StepList } from "../../protocol/agent-replies.ts";
import type { Step } from "../../protocol/agents.ts";
import type { LogPosition } from "../store/logs.ts";
import type { AgentStore } from "../store/store.ts";
import type { CalledStep, CallEnd, LogEvent } from "./events.ts";
import {
  MAX_LINE_BYTES,
  recordEvents,
  recordIn,
  type RuntimeReader,
  timeOf,
} from "./runtimes/reader.ts";
import { READERS } from "./runtimes/table.ts";
import { readInto } from "./tail.ts";
import { cleanText, firstLine } from "./text.ts";

/** Read of one log around one moment; the next request goes on where this window ends. */
const WINDOW_BYTES = 2 * 1024 * 1024;
/** Read to find a record's time. */
const PROBE_BYTES = 64 * 1024;
const MAX_STEPS = 400;
const MAX_TITLE = 200;
const MAX_LOGS = 16;

const NO_STEPS: StepList = { steps: [], from: null, to: null };
/** A record's own time: within a text the quotes would be escaped. */
const TIME = /(?<!\\)"timestamp":"([^"\\]{10,40})"/;

interface StepReaderDeps {
  store: AgentStore;
  /** Epoch seconds: older steps are left out. */
  retainedFrom: () => number;
}

/** Reads what sessions did from their logs on request, one log at a time; stores nothing. */
export class StepReader {
  readonly #deps: StepReaderDeps;
  readonly #turns = new Semaphore(1);

  constructor(deps: StepReaderDeps) {
    this.#deps = deps;
  }

  /** @param at epoch seconds; null: the newest steps */
  around(sessionId: string, at: number | null): Promise<StepList> {
    return this.#turns.run(() => this.#around(sessionId, at));
  }

  async #around(sessionId: string, at: number | null): Promise<StepList> {
    const { store, retainedFrom } = this.#deps;
    const { cwd } = store.sessions.facts(sessionId);
    const logs = store.logs.ofSession(sessionId).slice(-MAX_LOGS);
    const forgotten = Math.max(store.expiry.forgottenUntil(sessionId), retainedFrom());
    for (const [i, log] of logs.toReversed().entries()) {
      await using handle = await openLog(log);
      if (handle === null) continue;
      const isOldest = i === logs.length - 1;
      const { size } = await handle.stat();
      const first = await timeAt(handle, 0, size);
      // The log begins after the moment.
      if (at !== null && !isOldest && (first ?? Infinity) > at) continue;
      const window = { size, at, reader: READERS[log.runtime], cwd };
      const { steps, from, to, last } = await readAround(handle, window);
      return {
        steps: steps.filter((step) => step.at > forgotten),
        from: from ?? (isOldest ? null : first),
        to: to ?? (i === 0 ? null : (last ?? first)),
      };
    }
    return NO_STEPS;
  }
}

/** Null where the file is gone, or another one has its path. */
async function openLog({ path, inode }: LogPosition): Promise<FileHandle | null> {
  const handle = await openFile(path).catch(() => null);
  const stats = await handle?.stat();
  if (stats && `${stats.dev}:${stats.ino}` === inode) return handle;
  await handle?.close();
  return null;
}

async function readAround(
  handle: FileHandle,
  window: { size: number; at: number | null; reader: RuntimeReader; cwd: string | null },
) {
  const { size, at, reader, cwd } = window;
  const middle = at === null ? size : await placeOf(handle, size, at);
  const near = Math.max(0, Math.min(middle - WINDOW_BYTES / 2, size - WINDOW_BYTES));
  const isEnd = near + WINDOW_BYTES >= size;
  for (let begin = near; ; begin = Math.max(0, begin - WINDOW_BYTES)) {
    const fold = new StepFold(reader, cwd);
    fold.read(await bytesOf(handle, begin, Math.min(WINDOW_BYTES, size - begin)), begin > 0);
    // One long record may fill the window: go on before it.
    if (fold.last === null && begin > 0) continue;
    const [from, to] = [begin > 0 ? fold.first : null, isEnd ? null : fold.last];
    return limitSteps({ steps: fold.finish(isEnd), from, to, last: fold.last }, at);
  }
}

type ReadSteps = StepList & { last: number | null };

/** Leaves the steps nearest to the moment; `from` and `to` then are those of the steps left. */
export function limitSteps(all: ReadSteps, at: number | null): ReadSteps {
  const { steps } = all;
  if (steps.length <= MAX_STEPS) return all;
  const after = at === null ? steps.length : steps.findIndex((step) => step.at > at);
  const middle = after < 0 ? steps.length : after;
  const begin = Math.max(0, Math.min(middle - MAX_STEPS / 2, steps.length - MAX_STEPS));
  const kept = steps.slice(begin, begin + MAX_STEPS);
  return {
    ...all,
    steps: kept,
    from: begin === 0 ? all.from : (kept[0]?.at ?? null),
    to: begin + MAX_STEPS >= steps.length ? all.to : (kept.at(-1)?.at ?? null),
  };
}

class StepFold {
  /** Times of the first and the last record that has one. */
  first: number | null = null;
  last: number | null = null;
  readonly #reader: RuntimeReader;
  readonly #cwd: string | null;
  readonly #calls = new Map<string, Step[]>();
  /** The last script, until a record of the command that it ran takes its place. */
  #wrapper: string | null = null;

  constructor(reader: RuntimeReader, cwd: string | null) {
    this.#reader = reader;
    this.#cwd = cwd;
  }

  read(bytes: Buffer, isFirstCut: boolean): void {
    let start = isFirstCut ? bytes.indexOf(10) + 1 : 0;
    for (let to = bytes.indexOf(10, start); to >= 0; to = bytes.indexOf(10, start)) {
      const record = recordIn(this.#reader, bytes, [start, to]);
      start = to + 1;
      if (record === null) continue;
      this.last = timeOf(record) ?? this.last;
      this.first ??= this.last;
      this.#apply(recordEvents(this.#reader, record), this.last);
    }
  }

  #apply(events: readonly LogEvent[], at: number | null): void {
    // Copied from another session, whose steps they are.
    if (events.some((event) => event.kind === "session" && event.forkedFrom !== null)) return;
    for (const event of events) {
      if (event.kind === "call") {
        if (this.#wrapper !== null) this.#calls.delete(this.#wrapper);
        this.#wrapper = null;
        this.#put(event.id, event.steps, event.at ?? at, event.state);
      }
      if (event.kind !== "tool") continue;
      if (!event.open && event.end) this.#end(event.id, event.end());
      if (!event.open || !event.steps || this.#calls.has(event.id)) continue;
      if (event.isWrapper) this.#wrapper = event.id;
      this.#put(event.id, event.steps(), event.at ?? at, "running");
    }
  }

  #put(id: string, steps: readonly CalledStep[], time: number | null, state: Step["state"]): void {
    const at = this.#calls.get(id)?.[0]?.at ?? time ?? 0;
    this.#calls.set(
      id,
      steps.map(({ kind, title, isPath = false, added = null, removed = null }, i) => ({
        id: i === 0 ? id : `${id} ${i}`,
        ...{ at, kind, added, removed, state },
        title: firstLine(cleanText(isPath ? this.#below(title) : title), MAX_TITLE),
      })),
    );
  }

  /** Before the log's end, a step without a result has ended outside of the window. */
  finish(isEnd: boolean): Step[] {
    const steps = [...this.#calls.values()].flat().toSorted((a, b) => a.at - b.at);
    return steps.map((step) => {
      if (step.state === "running") return isEnd ? step : { ...step, state: "done" };
      // A denied or failed step has changed no line.
      return step.state === "done" ? step : { ...step, added: null, removed: null };
    });
  }

  #end(id: string, { state, added, removed }: CallEnd): void {
    const steps = this.#calls.get(id);
    if (steps === undefined) return;
    const ended = steps.map((step) => ({
      ...step,
      state: step.state === "running" ? state : step.state,
      ...(step.kind === "edit" && { added: added ?? step.added, removed: removed ?? step.removed }),
    }));
    this.#calls.set(id, ended);
  }

  #below(path: string): string {
    if (this.#cwd === null || !isAbsolute(path)) return path;
    const below = relative(this.#cwd, path);
    return below === "" || below.startsWith("..") ? path : below;
  }
}

/** An offset at or shortly before the records of that moment. */
async function placeOf(handle: FileHandle, size: number, at: number): Promise<number> {
  let [low, high] = [0, size];
  while (high - low > PROBE_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const time = await timeAt(handle, middle, high);
    if (time === null || time >= at) high = middle;
    else low = middle;
  }
  return low;
}

/** Time of the first record that ends after a byte; null where none has one before `end`. */
async function timeAt(handle: FileHandle, from: number, end: number): Promise<number | null> {
  const most = Math.min(end - from, MAX_LINE_BYTES);
  for (let length = Math.min(PROBE_BYTES, most); length > 0; length = Math.min(length * 4, most)) {
    const bytes = await bytesOf(handle, from, length);
    const timestamp = TIME.exec(bytes.toString("latin1"))?.[1];
    if (timestamp !== undefined) return timeOf({ timestamp: timestamp });
    if (length === most) return null;
  }
  return null;
}

async function bytesOf(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  return buffer.subarray(0, await readInto(handle, buffer, from, 0, length));
}
