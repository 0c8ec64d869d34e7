import { agentA } from "./agent-a.ts";
import { agentB } from "./agent-b.ts";
import type { RuntimeReader } from "./reader.ts";

export const READERS: readonly RuntimeReader[] = [agentA, agentB];
