import { signal } from "@preact/signals";
import type { BindingCandidate } from "../../../src/protocol/agents.ts";
import { Workspace } from "../../../web/state/server/agents/workspace.ts";
import { Queries } from "../../../web/state/server/queries.ts";
import { apiOf, serverOf, type Answer, type Call } from "../../support/page-server.ts";

export const candidateOf = (pane_id: string): BindingCandidate => ({
  id: `candidate ${pane_id}`,
  pane_id,
  target: `work:${pane_id}`,
  pane_target: `work:${pane_id}`,
  label: `pane ${pane_id}`,
  confidence: 0.3,
  reasons: ["The same program in the same folder."],
});

/** The workspace of a page over a server that the test plays. */
export function stage(answer: (call: Call) => Answer | Promise<Answer>) {
  const calls: Call[] = [];
  const api = apiOf((call) => {
    calls.push(call);
    return answer(call);
  });
  const server = serverOf({ api, phase: signal("live"), part: () => queries });
  const queries = new Queries(server);
  return { calls, queries, workspace: new Workspace(server) };
}
