import { Database } from "bun:sqlite";
import { join } from "node:path";
import { LogReading } from "../../../src/agents/logs/reading.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { type KnownSession, type SessionFacts, uuidOf } from "../../../src/agents/session.ts";
import { AgentStore } from "../../../src/agents/store/store.ts";
import { AGENT_MIGRATIONS } from "../../../src/agents/store/schema.ts";
import type { AgentRuntime } from "../../../src/protocol/agents.ts";
import { migrate, openDatabase } from "../../../src/store/database.ts";

/** A database in memory that was filled under an earlier version of the schema. */
export function migratedFrom(version: number, fill: (database: Database) => void): Database {
  const database = new Database(":memory:", { strict: true });
  database.run("PRAGMA foreign_keys = ON");
  migrate(database, AGENT_MIGRATIONS.slice(0, version));
  fill(database);
  migrate(database, AGENT_MIGRATIONS);
  return database;
}

/** A store in memory with a clock that only the test moves. */
export function memoryStore(now = 1_800_000_000, monotonic = () => 0) {
  const database = migratedFrom(0, () => {});
  const clock = { now };
  const store = new AgentStore({ database, clock: { now: () => clock.now, monotonic } });
  return { store, clock, database };
}

export async function openStore(path: string, clock: Clock = systemClock) {
  const log = { warn: (message: string) => void process.stderr.write(`${message}\n`) };
  const database = await openDatabase({ path, migrations: AGENT_MIGRATIONS, log, clock });
  return { database, store: new AgentStore({ database, clock }) };
}

export function readingOf(
  store: AgentStore,
  home: string,
  retainedFrom: () => number = () => 0,
): LogReading {
  return new LogReading({
    homes: { agent_a: join(home, ".claude"), agent_b: join(home, ".codex") },
    ...{ store, retainedFrom, clock: systemClock, log: { warn: () => undefined } },
  });
}

/** A session with these facts and no messages. */
export function newSession(
  store: AgentStore,
  nativeId = "a",
  { runtime = "agent_a", ...read }: Partial<SessionFacts> & { runtime?: AgentRuntime } = {},
): string {
  return store.write(() => {
    const id = store.sessions.ensure(runtime, nativeId, store.now);
    const facts = { ...store.sessions.facts(id), ...read };
    const state = store.sessions.state(id);
    store.sessions.set(id, { state, facts });
    return id;
  });
}

/** A store in memory with one session. */
export function sessionStore() {
  const memory = memoryStore();
  return { ...memory, id: newSession(memory.store) };
}

/** The public sessions, by id. */
export function allSessions({ sessions }: AgentStore): KnownSession[] {
  return sessions
    .ids()
    .toSorted()
    .flatMap((id) => sessions.find(id) ?? []);
}

/** The one session of a store. */
export function onlySession(store: AgentStore): KnownSession {
  const [known, ...others] = allSessions(store);
  if (known === undefined || others.length > 0) throw new Error("there is not one session");
  return known;
}

/** A session by its native id; null where it is not public. */
export function sessionNamed(store: AgentStore, runtime: AgentRuntime, nativeId: string) {
  const id = store.sessions.findId(runtime, nativeId);
  return id === null ? null : store.sessions.find(id);
}

/** A decision by its native id, whether or not it was shown. */
export function decisionNamed(store: AgentStore, agentId: string, nativeId: string, place: number) {
  return store.decisions.find(uuidOf("decision", agentId, nativeId, String(place)))?.decision;
}
