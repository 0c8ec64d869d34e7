import type { SessionsReply } from "../../../src/protocol/connections.ts";
import type { UsageHistory, UsagePeriod, UsageReply } from "../../../src/protocol/usage.ts";
import type { Api, Failure } from "../../net/api.ts";
import { LaterApi } from "../../net/later-api.ts";
import { Query } from "./query.ts";

/** What the panels of Stats ask for, each on its own. */
export class Stats {
  readonly sessions: Query<SessionsReply>;
  readonly usage: Query<UsageReply>;
  readonly history: Readonly<Record<UsagePeriod, Query<UsageHistory>>>;
  readonly #api: LaterApi;

  constructor(deps: { readonly api: Api }) {
    const api = new LaterApi(deps.api);
    const history = (period: UsagePeriod) =>
      new Query((signal) => api.usageHistory(period, signal));
    this.#api = api;
    this.sessions = new Query((signal) => api.sessions(signal));
    this.usage = new Query((signal) => api.usage(signal));
    this.history = {
      hourly: history("hourly"),
      daily: history("daily"),
      monthly: history("monthly"),
    };
  }

  /** Has the server collect anew; its answer is what it then knows. */
  async refreshUsage(): Promise<void> {
    await this.usage.take((signal) => this.#api.refreshUsage("all", signal));
    for (const history of Object.values(this.history)) history.invalidate();
  }

  /** Ends another browser's connection; null when it is gone. */
  async disconnect(id: string): Promise<Failure | null> {
    const result = await this.#api.killSession(id);
    await this.sessions.reload();
    const isGone =
      result.ok || (result.failure.kind === "refused" && result.failure.status === 404);
    return isGone ? null : result.failure;
  }

  clear(): void {
    for (const part of [this.sessions, this.usage, ...Object.values(this.history)]) part.clear();
  }
}
