import type { AgentRuntime } from "../protocol/agents.ts";
import { LogReading } from "./logs/reading.ts";
import { type AgentsSlice, agentsSlice } from "./slice.ts";
import { StoreFile } from "./store/store-file.ts";
import type { WorkspaceDeps } from "./workspace.ts";

export interface OpenAgentsOptions extends Omit<
  WorkspaceDeps,
  "storeFile" | "openReader" | "sockets"
> {
  stateDir: string;
  /** As configured: absolute, or beginning with `~`. */
  homes: Readonly<Record<AgentRuntime, string>>;
}

/** The agent workspace over the real homes and the real store; nothing is opened until it is on. */
export function openAgents(options: OpenAgentsOptions): AgentsSlice {
  const { homes, log, retentionDays } = options;
  return agentsSlice({
    ...options,
    storeFile: new StoreFile(options),
    openReader: (store) => new LogReading({ store, homes, retentionDays, log }),
  });
}
