import type { AgentState } from "./agent.ts";
import type { Script } from "./requests.ts";
import { drawAgentA } from "./screens/agent-a.ts";
import { drawAgentB } from "./screens/agent-b.ts";
import type { Size } from "./screens/size.ts";

/** The whole screen of a sample agent, row by row. */
export function draw(state: AgentState, script: Script, size: Size): string[] {
  const drawIt = script.runtime === "agent_a" ? drawAgentA : drawAgentB;
  return drawIt(state, script, size);
}
