import type { AgentRuntime } from "../../../protocol/agents.ts";
import { agentA } from "./agent-a.ts";
import { agentB } from "./agent-b.ts";
import type { RuntimeReader } from "./reader.ts";

export const READERS: Readonly<Record<AgentRuntime, RuntimeReader>> = {
  agent_a: agentA,
  agent_b: agentB,
};
