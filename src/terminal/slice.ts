import type { Slice } from "../slice.ts";
import { terminalRoutes, type TerminalRoutesDeps } from "./routes.ts";

export function terminalSlice(deps: TerminalRoutesDeps): Slice {
  return {
    name: "terminal",
    routes: terminalRoutes(deps),
    capabilities: () => ({
      pane_facts_v1: { version: 1 },
      explain_v1: { version: 1 },
      pane_done_v1: { version: 1 },
    }),
  };
}
