import type { Slice } from "../slice.ts";
import { AgentSockets } from "./feed/agent-sockets.ts";
import { agentRoutes } from "./routes.ts";
import { Workspace, type WorkspaceDeps } from "./workspace.ts";

interface AgentsSlice extends Slice {
  readonly workspace: Workspace;
}

/** The agent workspace: off until it is switched on, and live from then on. */
export function agentsSlice(deps: Omit<WorkspaceDeps, "sockets">): AgentsSlice {
  const sockets = new AgentSockets(deps);
  const workspace = new Workspace({ ...deps, sockets });
  return {
    name: "agents",
    workspace,
    routes: agentRoutes({ workspace }),
    async before(c, next) {
      const run = workspace.require();
      await next();
      run.noteFailure(c.error);
    },
    sockets: [{ path: "/ws/agents", accept: (client) => sockets.accept(client) }],
    capabilities: () => ({
      agent_context_v1: workspace.capability(),
      ...(workspace.current ? { search_v1: { version: 1 } } : {}),
    }),
    start() {
      workspace.settingsChanged();
      return workspace.settled();
    },
    stop: () => workspace.stop(),
    settingsChanged: () => workspace.settingsChanged(),
  };
}
