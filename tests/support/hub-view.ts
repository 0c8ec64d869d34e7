import type { HubView } from "../../src/agents/agent-run.ts";
import type { PaneSight } from "../../src/terminal/transitions.ts";

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
