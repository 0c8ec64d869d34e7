import { Database } from "bun:sqlite";
import { uuidOf } from "../../../src/agents/known.ts";
import { AgentStore } from "../../../src/agents/store/store.ts";
import { AGENT_MIGRATIONS } from "../../../src/agents/store/schema.ts";
import type { AgentRuntime } from "../../../src/protocol/agents.ts";
import { migrate } from "../../../src/store/database.ts";

/** A store in memory with a clock that only the test moves. */
export function memoryStore(now = 1_800_000_000, monotonic = () => 0) {
  const database = new Database(":memory:", { strict: true });
  database.run("PRAGMA foreign_keys = ON");
  migrate(database, AGENT_MIGRATIONS);
  const clock = { now };
  const store = new AgentStore({ database, clock: { now: () => clock.now, monotonic } });
  return { store, clock, database };
}

/** A session with nothing read of it. */
export function newSession(store: AgentStore, nativeId = "a"): string {
  return store.write(() => {
    const id = store.sessions.ensure("agent_a", nativeId, store.now);
    const seen = { state: store.sessions.state(id), facts: store.sessions.facts(id) };
    store.sessions.observe(id, { ...seen, lag: null, isNews: true });
    return id;
  });
}

/** A session by the id that its runtime gave it; null for one that is not public. */
export function sessionNamed(store: AgentStore, runtime: AgentRuntime, nativeId: string) {
  const id = store.sessions.findId(runtime, nativeId);
  return id === null ? null : store.sessions.known(id);
}

/** One request of a log by its own id, whether or not it was shown. */
export function decisionNamed(store: AgentStore, agentId: string, nativeId: string, place: number) {
  return store.decisions.known(uuidOf("decision", agentId, nativeId, String(place)))?.decision;
}
