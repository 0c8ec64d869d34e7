import { join } from "node:path";
import type { AgentRuntime } from "../protocol/agents.ts";
import { openDatabase } from "../store/database.ts";
import { LogReading } from "./logs/reading.ts";
import { type AgentsSlice, agentsSlice } from "./slice.ts";
import { AGENT_STORE_FILE, AgentStore } from "./store/store.ts";
import { AGENT_MIGRATIONS } from "./store/schema.ts";
import type { WorkspaceDeps } from "./workspace.ts";

export interface OpenAgentsOptions extends Omit<
  WorkspaceDeps,
  "openStore" | "openReader" | "sockets"
> {
  stateDir: string;
  /** As configured: absolute, or beginning with `~`. */
  homes: Readonly<Record<AgentRuntime, string>>;
}

/** The agent workspace over the real homes and the real store; nothing is opened until it is on. */
export function openAgents(options: OpenAgentsOptions): AgentsSlice {
  const { stateDir, homes, clock, log, retentionDays } = options;
  return agentsSlice({
    ...options,
    async openStore() {
      const path = join(stateDir, AGENT_STORE_FILE);
      const database = await openDatabase({ path, migrations: AGENT_MIGRATIONS, log, clock });
      return new AgentStore({ database, now: () => clock.now() });
    },
    openReader: (store) => new LogReading({ store, homes, retentionDays, log }),
  });
}
