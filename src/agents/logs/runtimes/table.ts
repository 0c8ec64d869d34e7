import { agentA } from "./agent-a.ts";
import { agentB } from "./agent-b.ts";
import type { RuntimeReader } from "./reader.ts";

/** Every runtime whose logs are read. */
export const READERS: readonly RuntimeReader[] = [agentA, agentB];
