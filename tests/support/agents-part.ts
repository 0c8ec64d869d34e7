import type { HubView } from "../../src/agents/agent-run.ts";
import { AgentFeed } from "../../src/agents/feed.ts";
import { agentsSlice } from "../../src/agents/slice.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import type { PaneSight } from "../../src/terminal/transitions.ts";

type Deps = Parameters<typeof agentsSlice>[0];

const untouched = () => {
  throw new Error("nothing here may touch this");
};

/** The agent workspace over no logs, in which whatever a test does not give throws. */
export function agentsPart(clock: Clock, deps: Partial<Deps> = {}) {
  return agentsSlice({
    ...{ feed: new AgentFeed(clock), clock, log: createLog(() => {}), hub: new FakeHubView() },
    ...{ isWanted: () => true, retentionDays: 30, unsupported: null, pollInterval: () => 0.7 },
    storeFile: { open: untouched, clear: untouched, setAside: untouched },
    homes: { agent_a: "/nonexistent", agent_b: "/nonexistent" },
    ...{ processes: untouched, alertsErrors: false },
    ...{ queue: { run: untouched, find: untouched }, ledger: { runOnce: untouched } },
    ...deps,
  });
}

/** Passes that the test makes. */
export class FakeHubView implements HubView {
  current: HubView["local"] = { sequence: 0, at: 0, panes: [], sights: [], hasFailed: false };
  readonly #listeners = new Set<() => void>();

  get local() {
    return this.current;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(at: number, sights: readonly PaneSight[], hasFailed = false): void {
    const sequence = this.current.sequence + 1;
    const panes = sights.filter(({ isShown }) => isShown).map(({ state }) => state);
    this.current = { sequence, at, panes, sights, hasFailed };
    for (const listener of [...this.#listeners]) listener();
  }
}
