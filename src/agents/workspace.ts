import { AppError } from "../errors.ts";
import type { AgentContextCapability } from "../protocol/config.ts";
import { StoreError } from "../store/store-error.ts";
import { Invalidations } from "./feed/invalidations.ts";
import type { AgentSockets } from "./feed/agent-sockets.ts";
import { AgentRun, type AgentRunDeps } from "./agent-run.ts";
import type { AgentStore } from "./store/store.ts";

export interface WorkspaceDeps extends AgentRunDeps {
  /** `experimental_agent_workspace_enabled`, now. */
  isWanted(): boolean;
  /** A sentence on why it cannot run here at all; null where it can. */
  unsupported: string | null;
  retentionDays: number;
  /** @throws StoreError */
  openStore(): Promise<AgentStore>;
  sockets: AgentSockets;
}

/** Switches the whole bundle on and off while the service runs; off, it holds nothing. */
export class Workspace {
  readonly #deps: WorkspaceDeps;
  readonly #listeners = new Set<(run: AgentRun | null) => void>();
  #run: AgentRun | null = null;
  #failure: string | null = null;
  #isStopping = false;
  #change: Promise<void> = Promise.resolve();

  constructor(deps: WorkspaceDeps) {
    this.#deps = deps;
  }

  /** Null while it is off. */
  get current(): AgentRun | null {
    return this.#run;
  }

  /** Told of each run that begins, and with null of each that is about to end. */
  subscribe(listener: (run: AgentRun | null) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @throws AppError 503 while it is off */
  require(): AgentRun {
    if (!this.#run) throw new AppError("unavailable", "agent context is disabled");
    return this.#run;
  }

  /** Brings what runs in line with what is wanted, one change after another. */
  settingsChanged(): void {
    this.#change = this.#change.then(() => this.#apply());
  }

  /** Resolves when the last change of settings has had its effect. */
  settled(): Promise<void> {
    return this.#change;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.settingsChanged();
    await this.#change;
  }

  /**
   * Deletes all that was read; what is older is not read again. Whoever listens goes on listening,
   * and is told of each session that its history is gone.
   * @throws AppError 503 while it is off, 507 when the store cannot be written
   */
  clear(): Promise<void> {
    this.require();
    const cleared = this.#change.then(() => this.#clear());
    // What comes next has its turn, however this one ends.
    this.#change = cleared.catch(() => undefined);
    return cleared;
  }

  capability(): AgentContextCapability {
    const isOn = this.#run !== null;
    return {
      enabled: isOn,
      runtimes: ["agent_b", "agent_a"],
      websocket: isOn,
      websocket_path: isOn ? "/ws/agents" : null,
      mode: isOn ? "log_observer" : "disabled",
      retention_days: this.#deps.retentionDays,
      persistence: "structured_only",
      chat: "confirmed_idle_only",
      decisions: "verified_structured_only",
      degraded_reason: this.#deps.unsupported ?? (this.#run ? this.#run.degraded() : this.#failure),
      ...(this.#run ? { observed: this.#run.observed() } : {}),
    };
  }

  async #apply(): Promise<void> {
    const { isWanted: wants, unsupported } = this.#deps;
    const isWanted = wants() && unsupported === null && !this.#isStopping;
    if (isWanted === (this.#run !== null)) return;
    if (isWanted) await this.#begin();
    else await this.#end();
  }

  async #begin(): Promise<void> {
    const run = await this.#start(new Invalidations());
    if (run !== null) this.#deps.sockets.open(run.events);
  }

  /** Null when it could not be started, which is told as the reason that it is off. */
  async #start(
    events: Invalidations,
    prepare: (store: AgentStore) => void = () => {},
  ): Promise<AgentRun | null> {
    const { openStore, log } = this.#deps;
    try {
      const store = await openStore();
      prepare(store);
      const run = new AgentRun(store, this.#deps, events);
      run.start();
      this.#run = run;
      this.#failure = null;
      this.#tell(run);
      return run;
    } catch (error) {
      const isKnown = error instanceof StoreError;
      this.#failure = isKnown ? error.message : "The agent workspace could not be started.";
      log.error("the agent workspace stays off", error);
      return null;
    }
  }

  async #clear(): Promise<void> {
    const run = this.require();
    const ids = run.store.sessions.ids();
    this.#run = null;
    this.#tell(null);
    // What it holds of logs in memory would be written again: another run begins with nothing.
    await run.stop();
    let failure: unknown = null;
    const next = await this.#start(run.events, (store) => {
      try {
        store.clear();
      } catch (error) {
        failure = error;
      }
    });
    if (next === null) this.#deps.sockets.close();
    if (next === null || failure !== null) {
      const message = "cannot delete what was read: its store cannot be written";
      throw new AppError("storage", message, undefined, { cause: failure ?? this.#failure });
    }
    for (const agent_id of ids)
      run.events.publish({ kind: "history_deleted", agent_id, revision: 0 });
  }

  async #end(): Promise<void> {
    const run = this.#run;
    this.#run = null;
    this.#failure = null;
    this.#tell(null);
    this.#deps.sockets.close();
    await run?.stop();
  }

  #tell(run: AgentRun | null): void {
    for (const listener of [...this.#listeners]) listener(run);
  }
}
