import type { SessionsReply } from "../../../src/protocol/connections.ts";
import type { UsageHistory, UsagePeriod, UsageReply } from "../../../src/protocol/usage.ts";
import { type Api, type Failure, promised } from "../../net/api.ts";
import { Query } from "./query.ts";
import type { Server } from "./server.ts";

/** What the panels of Stats ask for, each on its own. */
export class Stats {
  readonly sessions: Query<SessionsReply>;
  readonly usage: Query<UsageReply>;
  readonly history: Readonly<Record<UsagePeriod, Query<UsageHistory>>>;
  readonly #api: Api;

  constructor({ api }: Server) {
    const history = (period: UsagePeriod) =>
      new Query((signal) =>
        api.call("GET /api/usage/history", {
          ...{ query: { period }, signal, read: promised<UsageHistory> },
        }),
      );
    this.#api = api;
    this.sessions = new Query((signal) =>
      api.call("GET /api/sessions", { signal, read: promised<SessionsReply> }),
    );
    this.usage = new Query((signal) =>
      api.call("GET /api/usage", { signal, read: promised<UsageReply> }),
    );
    this.history = {
      hourly: history("hourly"),
      daily: history("daily"),
      monthly: history("monthly"),
    };
  }

  /** Has the server collect anew; its answer is what it then knows. */
  async refreshUsage(): Promise<void> {
    const json = { scope: "all" } as const;
    await this.usage.take((signal) =>
      this.#api.call("POST /api/usage/refresh", { json, signal, read: promised<UsageReply> }),
    );
    for (const history of Object.values(this.history)) history.invalidate();
  }

  /** Ends another browser's connection; null when it is gone. */
  async disconnect(id: string): Promise<Failure | null> {
    const result = await this.#api.call("POST /api/sessions/kill", { json: { id } });
    await this.sessions.reload();
    const isGone =
      result.ok || (result.failure.kind === "refused" && result.failure.status === 404);
    return isGone ? null : result.failure;
  }

  clear(): void {
    for (const part of [this.sessions, this.usage, ...Object.values(this.history)]) part.clear();
  }
}
