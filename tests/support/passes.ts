import type { PassSource } from "../../src/agents/agent-run.ts";
import type { PaneSight } from "../../src/terminal/transitions.ts";

/** Passes that the test makes. */
export class FakePasses implements PassSource {
  current: PassSource["current"] = { sequence: 0, at: 0, sights: [], hasFailed: false };
  readonly #listeners = new Set<() => void>();

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(at: number, sights: readonly PaneSight[], hasFailed = false): void {
    this.current = { sequence: this.current.sequence + 1, at, sights, hasFailed };
    for (const listener of [...this.#listeners]) listener();
  }
}
