import type { FixtureServer } from "./fixture-server.ts";

/** No screen shows a prompt: what agents ask is known from their logs alone. */
export function quietPanes(server: FixtureServer): void {
  for (const { id, status } of server.panes)
    if (status === "needs_input")
      server.change(id, { status: "idle", question: null, menu: [], evidence: [] });
}
