import { LABELS } from "../../detect/agents.ts";
import { expandPath } from "../../lib/inside.ts";
import type { Log } from "../../lib/log.ts";
import type { AgentRuntime } from "../../protocol/agents.ts";
import { AgentHome, type HomeState } from "./homes.ts";
import { LogObserver, type ObservedHome } from "./observer.ts";
import { Retention } from "./retention.ts";
import { READERS } from "./runtimes/table.ts";
import type { AgentStore } from "../store/store.ts";

export interface LogReadingDeps {
  store: AgentStore;
  /** As configured: absolute, or beginning with `~`. */
  homes: Readonly<Record<AgentRuntime, string>>;
  retentionDays: number;
  log: Pick<Log, "warn">;
}

/** Why a home is not read; one that does not exist is that of a runtime nobody uses here. */
const AMISS: Readonly<Partial<Record<HomeState, string>>> = {
  foreign: "belongs to another user and is not read",
  unreadable: "cannot be read",
};

/** Takes the session logs of all runtimes into the store, and lets go of what is too old. */
export class LogReading {
  readonly #homes: readonly ObservedHome[];
  readonly #observer: LogObserver;
  readonly #retention: Retention;

  constructor({ store, homes, retentionDays, log }: LogReadingDeps) {
    this.#homes = READERS.map((reader) => ({
      reader,
      home: new AgentHome({
        path: expandPath(homes[reader.runtime]) ?? homes[reader.runtime],
        uid: process.getuid?.() ?? null,
        now: () => Date.now() / 1000,
      }),
    }));
    this.#retention = new Retention(store, retentionDays);
    this.#observer = new LogObserver({
      store,
      homes: this.#homes,
      log,
      retainedFrom: () => this.#retention.from,
    });
  }

  /** Takes in what is new, up to its share; true when there is more to read at once. */
  async pass(signal: AbortSignal): Promise<boolean> {
    await this.#retention.keep(signal);
    return this.#observer.pass(signal);
  }

  /** Data folder of a runtime, as far as it is read. */
  homeOf(runtime: AgentRuntime): string | null {
    const found = this.#homes.find(({ reader }) => reader.runtime === runtime);
    return found?.home.state === "ok" ? found.home.path : null;
  }

  /** A sentence on what is not read at all; null when nothing is amiss. */
  degraded(): string | null {
    const sentences = this.#homes.flatMap(({ home, reader }) => {
      const why = AMISS[home.state];
      return why === undefined ? [] : [`The data folder of ${LABELS[reader.runtime]} ${why}.`];
    });
    return sentences.length === 0 ? null : sentences.join(" ");
  }
}
