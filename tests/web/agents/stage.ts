import { signal } from "@preact/signals";
import type { BindingCandidate } from "../../../src/protocol/agents.ts";
import { Review } from "../../../src/protocol/review.ts";
import { Workspace } from "../../../web/state/server/agents/workspace.ts";
import { NOW } from "../../review/works.ts";
import { fixture } from "../../support/fixture.ts";
import { apiOf, serverOf, type Answer, type Call } from "../../support/page-server.ts";
import { MemoryStorage } from "../../support/memory-storage.ts";

export const candidateOf = (pane_id: string): BindingCandidate => ({
  id: `candidate ${pane_id}`,
  pane_id,
  target: `work:${pane_id}`,
  pane_target: `work:${pane_id}`,
  label: `pane ${pane_id}`,
  confidence: 0.3,
  reasons: ["The same program in the same folder."],
});

/** The review of a server without anything to review. */
export const EMPTY_REVIEW = fixture(Review, {
  generated_at: NOW,
  settings: {
    urgent_bypass: { high_critical_decisions: true },
    ...{ min_interval_minutes: 5, max_interval_minutes: 1440, presets: [30, 60] },
  },
});

/** The workspace of a page over a server that the test plays. */
export function stage(
  answer: (call: Call) => Answer | Promise<Answer>,
  { storage = new MemoryStorage(), nowMs = () => Date.now() } = {},
) {
  const calls: Call[] = [];
  const api = apiOf((call) => {
    calls.push(call);
    return answer(call);
  });
  const server = serverOf({
    ...{ api, memory: storage, nowMs },
    phase: signal("live"),
  });
  const { panes } = server;
  const workspace = new Workspace(server);
  return {
    api,
    workspace,
    calls,
    storage,
    panes,
  };
}
