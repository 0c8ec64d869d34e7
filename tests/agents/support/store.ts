import { Database } from "bun:sqlite";
import { AgentStore } from "../../../src/agents/store/store.ts";
import { AGENT_MIGRATIONS } from "../../../src/agents/store/schema.ts";
import { migrate } from "../../../src/store/migrations.ts";

/** A store in memory with a clock that only the test moves. */
export function memoryStore(now = 1_800_000_000, monotonic = () => 0) {
  const database = new Database(":memory:", { strict: true });
  database.run("PRAGMA foreign_keys = ON");
  migrate(database, AGENT_MIGRATIONS);
  const clock = { now };
  const store = new AgentStore({ database, now: () => clock.now, monotonic });
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
