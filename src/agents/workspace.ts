import type { ResumableSession } from "../creation/resume.ts";
import { AppError } from "../errors.ts";
import type { AgentContextCapability } from "../protocol/config.ts";
import type { AlertReason } from "../protocol/push.ts";
import type { ReviewGroup } from "../protocol/review.ts";
import { asStoreError, StoreError } from "../store/store-error.ts";
import { AgentRun, type AgentRunDeps } from "./agent-run.ts";
import type { Reviewer } from "./review/review.ts";
import type { AgentAlerts } from "./session.ts";
import { AGENT_STORE_FILE, isUnusable, type StoreFile } from "./store/store-file.ts";

export interface WorkspaceDeps extends Omit<AgentRunDeps, "damaged" | "alerts"> {
  isWanted(): boolean;
  /** A sentence on why it cannot run here; null where it can. */
  unsupported: string | null;
  /** Whether other machines are watched: their sessions are not read. */
  hasHosts?(): boolean;
  storeFile: Pick<StoreFile, "clear" | "open" | "setAside">;
}

/** Until a store that could not be opened is tried again. */
const RETRY_MS = 60_000;

export const WORKSPACE_OFF: AgentContextCapability = {
  enabled: false,
  runtimes: ["agent_b", "agent_a"],
  websocket: false,
  websocket_path: null,
  mode: "disabled",
  retention_days: 0,
  persistence: "structured_only",
  chat: "confirmed_idle_only",
  decisions: "verified_structured_only",
  degraded_reason: null,
};

const NO_GROUPS: readonly ReviewGroup[] = [];

/** Switches the agent parts on and off while the service runs; off, it holds nothing. */
export class Workspace {
  readonly #deps: WorkspaceDeps;
  #alerts: AgentAlerts = { noteDecision: () => {}, sendDigest: () => {} };
  #run: AgentRun | null = null;
  #groups = NO_GROUPS;
  #failure: string | null = null;
  #isStopping = false;
  #hasReplaced = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #change: Promise<void> = Promise.resolve();

  constructor(deps: WorkspaceDeps) {
    this.#deps = deps;
  }

  /** Call it before the start. */
  alert(alerts: AgentAlerts): void {
    this.#alerts = alerts;
  }

  /** Null while it is off. */
  get current(): AgentRun | null {
    return this.#run;
  }

  /** What a resumed session needs; null for one that is not known. */
  session(agentId: string): ResumableSession | null {
    const known = this.#run?.store.sessions.find(agentId);
    if (!known) return null;
    const { runtime, native_session_id: nativeId, lifecycle, pane_id } = known.session;
    const isOver = lifecycle === "offline" || lifecycle === "completed";
    return { runtime, nativeId, cwd: known.facts.cwd, hasEnded: isOver && pane_id === null };
  }

  /** The same list until it changes, empty while it is off. A failed read keeps the list before. */
  groups(): readonly ReviewGroup[] {
    this.#groups = this.#tryReview(({ groups }) => groups) ?? this.#groups;
    return this.#groups;
  }

  /** Whether ordinary alerts of this kind wait for the digest; false where that cannot be read. */
  isHeld(reason: AlertReason): boolean {
    return this.#tryReview((review) => review.isHeld(reason)) ?? false;
  }

  /** Null while it is off, and where the store cannot be read. */
  #tryReview<T>(read: (review: Reviewer) => T): T | null {
    try {
      return this.#run && read(this.#run.review);
    } catch (error) {
      this.#run?.noteFailure(error);
      return null;
    }
  }

  /** @throws AppError 503 while it is off */
  require(): AgentRun {
    if (!this.#run) throw new AppError("unavailable", "agent context is disabled");
    return this.#run;
  }

  settingsChanged(): void {
    this.#then(() => this.#apply()).catch((error: unknown) =>
      this.#deps.log.error("the agent workspace could not be switched", error),
    );
  }

  settled(): Promise<void> {
    return this.#change;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.settingsChanged();
    await this.#change;
  }

  /**
   * Deletes all that was read; older records are not read again. Subscribers stay, and are told of
   * each session that its history is gone.
   * @throws AppError 503 while it is off, 507 when the store cannot be written
   */
  async clear(): Promise<void> {
    this.require();
    await this.#then(() => this.#clear());
  }

  /** Runs changes one after another; the next has its turn however this one ends. */
  #then(change: () => Promise<void>): Promise<void> {
    const { feed } = this.#deps;
    const result = this.#change
      .then(change)
      .finally(() => (this.#run ? feed.open() : feed.close()));
    this.#change = result.catch(() => undefined);
    return result;
  }

  capability(): AgentContextCapability {
    const isOn = this.#run !== null;
    return {
      ...WORKSPACE_OFF,
      enabled: isOn,
      websocket: isOn,
      websocket_path: isOn ? "/ws/agents" : null,
      mode: isOn ? "log_observer" : "disabled",
      retention_days: this.#deps.retentionDays,
      degraded_reason: this.#deps.unsupported ?? (this.#run ? this.#run.degraded() : this.#failure),
      ...(this.#deps.hasHosts?.() ? { hosts: false } : {}),
      ...(this.#run ? { observed: this.#run.counts() } : {}),
    };
  }

  async #apply(): Promise<void> {
    const { isWanted: wants, unsupported } = this.#deps;
    clearTimeout(this.#retry);
    const isWanted = wants() && unsupported === null && !this.#isStopping;
    if (isWanted === (this.#run !== null)) return;
    if (isWanted) return this.#start();
    this.#failure = null;
    this.#hasReplaced = false;
    await this.#stopRun();
  }

  async #start(): Promise<void> {
    const { storeFile, log } = this.#deps;
    let run: AgentRun | null = null;
    try {
      const deps = { ...this.#deps, alerts: this.#alerts, damaged: this.#damaged };
      run = new AgentRun(await storeFile.open(), deps);
      run.start();
      this.#run = run;
      this.#failure = null;
    } catch (cause) {
      const error = asStoreError(cause, AGENT_STORE_FILE);
      await run?.stop();
      if (await this.#setAside(error)) return this.#start();
      const why =
        error instanceof StoreError ? error.message : "The agent workspace could not be started.";
      if (why !== this.#failure) log.error("the agent workspace stays off", error);
      this.#failure = why;
      // So that nobody has to switch it off and on after mending the cause.
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.settingsChanged(), RETRY_MS);
      this.#retry.unref();
    }
  }

  /**
   * True where another store can be begun: the file was removed, or is damaged and was moved aside.
   * The latter once for each switching on: a store that goes on breaking is not begun for ever.
   */
  async #setAside(error: unknown): Promise<boolean> {
    if (!isUnusable(error)) return false;
    if (error.kind === "removed") return true;
    if (this.#hasReplaced) return false;
    this.#hasReplaced = true;
    try {
      await this.#deps.storeFile.setAside(error);
      return true;
    } catch (cause) {
      this.#deps.log.error("a damaged store cannot be moved aside", cause);
      return false;
    }
  }

  readonly #damaged = (run: AgentRun, cause: unknown): void => {
    void this.#then(async () => {
      if (run !== this.#run) return;
      const error = asStoreError(cause, AGENT_STORE_FILE);
      this.#failure = error instanceof Error ? error.message : null;
      await this.#stopRun();
      if (await this.#setAside(error)) await this.#start();
    });
  };

  /** A run is never used again: it holds log positions in memory, and would go on from them. */
  async #stopRun(): Promise<void> {
    const run = this.#run;
    this.#run = null;
    this.#groups = NO_GROUPS;
    await run?.stop();
  }

  async #clear(): Promise<void> {
    const { storeFile, feed } = this.#deps;
    const ids = this.require().store.sessions.ids();
    await this.#stopRun();
    try {
      await storeFile.clear();
    } finally {
      await this.#start();
    }
    if (!this.#run) throw new AppError("storage", this.#failure ?? "the store cannot be opened");
    for (const agent_id of ids) feed.publish({ kind: "history_deleted", agent_id, revision: 0 });
  }
}
