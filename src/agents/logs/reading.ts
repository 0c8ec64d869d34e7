import { LABELS } from "../../detect/agents.ts";
import type { Clock } from "../../lib/clock.ts";
import { expandPath } from "../../lib/inside.ts";
import type { Log } from "../../lib/log.ts";
import type { AgentRuntime } from "../../protocol/agents.ts";
import type { AgentStore } from "../store/store.ts";
import { AgentHome, type HomeState } from "./homes.ts";
import { LogObserver, type ObservedHome } from "./observer.ts";
import type { RuntimeReader } from "./runtimes/reader.ts";
import { READERS } from "./runtimes/table.ts";

interface LogReadingDeps {
  store: AgentStore;
  /** As configured: absolute, or beginning with `~`. */
  homes: Readonly<Record<AgentRuntime, string>>;
  retentionDays: number;
  clock: Clock;
  log: Pick<Log, "warn">;
}

/** Why a home is not read; one that does not exist is that of a runtime nobody uses here. */
const NOT_READ: Readonly<Partial<Record<HomeState, string>>> = {
  foreign: "belongs to another user and is not read",
  unreadable: "cannot be read",
};

/** Those that are configured, and those of programs that were told of others. */
const MAX_HOMES = 16;

/** Takes the session logs of all runtimes into the store, and lets go of what is too old. */
export class LogReading {
  readonly #clock: Clock;
  readonly #homes: ObservedHome[];
  readonly #observer: LogObserver;
  readonly #retention: Retention;

  constructor({ store, homes, retentionDays, clock, log }: LogReadingDeps) {
    this.#clock = clock;
    this.#homes = READERS.map((reader) => observed(reader, homes[reader.runtime], clock));
    this.#retention = new Retention(store, retentionDays, clock);
    this.#observer = new LogObserver({
      store,
      homes: this.#homes,
      log,
      retainedFrom: () => this.#retention.from,
    });
  }

  /** Epoch seconds: nothing older is told. */
  get retainedFrom(): number {
    return this.#retention.from;
  }

  /** Takes in what is new, up to its share; true when there is more to read at once. */
  async pass(signal: AbortSignal, live?: ReadonlySet<string>): Promise<boolean> {
    await this.#retention.keep(signal);
    return this.#observer.pass(signal, live);
  }

  homeOf(runtime: AgentRuntime): string | null {
    const found = this.#homes.find(({ reader }) => reader.runtime === runtime);
    return found?.home.state === "ok" ? found.home.path : null;
  }

  /** Once for each: it is read from then on, also when that program has ended. */
  adopt(runtime: AgentRuntime, path: string): void {
    const reader = READERS.find((each) => each.runtime === runtime);
    if (!reader || this.#homes.length >= MAX_HOMES) return;
    const isKnown = this.#homes.some((each) => each.reader === reader && each.home.path === path);
    if (!isKnown) this.#homes.push(observed(reader, path, this.#clock));
  }

  degraded(): string | null {
    const sentences = this.#homes.flatMap(({ home, reader }) => {
      const why = NOT_READ[home.state];
      return why === undefined ? [] : [`The data folder of ${LABELS[reader.runtime]} ${why}.`];
    });
    return sentences.length === 0 ? null : sentences.join(" ");
  }
}

function observed(reader: RuntimeReader, configured: string, clock: Clock): ObservedHome {
  const [now, monotonic] = [() => clock.now(), () => clock.monotonic()];
  const path = expandPath(configured) ?? configured;
  const uid = process.getuid?.() ?? null;
  return { reader, home: new AgentHome({ path, uid, now, monotonic }) };
}

const DAY_SECONDS = 24 * 60 * 60;

/** Epoch seconds before which nothing is kept, and nothing imported. */
export function retainedFrom(now: number, days: number): number {
  return now - days * DAY_SECONDS;
}

export class Retention {
  readonly #store: AgentStore;
  readonly #days: number;
  readonly #clock: Pick<Clock, "monotonic">;
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(store: AgentStore, days: number, clock: Pick<Clock, "monotonic">) {
    this.#store = store;
    this.#days = days;
    this.#clock = clock;
  }

  get from(): number {
    return retainedFrom(this.#store.now, this.#days);
  }

  /** One that is aborted goes on next time. */
  async keep(signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    if (now < this.#dueAt || signal.aborted) return;
    const store = this.#store;
    const isDone = await store.inBatches(() => store.expiry.expire(this.from), signal);
    if (isDone) this.#dueAt = now + DAY_SECONDS;
  }
}
