// How fast a full store of the agent workspace answers, and how large it is.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentStore } from "../../src/agents/store/store.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { newSession, openStore } from "../agents/support/store.ts";
import { agentsPart } from "../support/agents-part.ts";
import { service } from "../support/service.ts";
import { markdownTable, ms, percentile } from "./figures.ts";

const MESSAGES = 100_000;
const SNAPSHOTS = 10_000;
const REQUESTS = 100;

/** A store of its own, as full as it gets. */
async function fullStore(path: string): Promise<{ store: AgentStore; agent: string; mib: number }> {
  const start = Date.now() / 1000 - 86_400;
  const { database, store } = await openStore(path, { ...systemClock, now: () => start });
  const read = { runtime: "agent_b", cwd: "/shop", firstAt: start, lastAt: start } as const;
  const agent = newSession(store, "bench", read);
  const words = "words of an answer, some of them longer than others, ".repeat(6);
  for (let batch = 0; batch < MESSAGES; batch += 2000)
    store.write(
      () => {
        for (let index = batch; index < batch + 2000; index++) {
          const at = start + index * 0.5;
          const text = `message ${index}: ${words}`;
          const role = index % 2 === 0 ? ("user" as const) : ("assistant" as const);
          const event = {
            ...{ kind: "message" as const, at, role, text, nativeId: `n${index}` },
            ...{ source: "record", isFallback: false, parentId: null, ordinal: null },
            ...{ isCopied: false, marksRewinds: false },
          };
          store.messages.add(agent, { event, text, at, generation: "log#0", offset: index }, at);
        }
      },
      { isImport: true, isQuiet: true },
    );
  store.write(() => {
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  });
  const { size } = await stat(path);
  store.write(() => {
    const session = store.sessions.get(agent);
    if (!session) throw new Error("the session of the bench is gone");
    for (let index = 0; index < SNAPSHOTS; index++)
      store.snapshots.add({
        ...{ agent_id: agent, sequence: index + 1000, type: "activity", title: `step ${index}` },
        ...{ created_at: start + index, occurred_at: start + index },
        ...{ delta: {}, context: session.context },
      });
  });
  return { store, agent, mib: size / 2 ** 20 };
}

async function latencies(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "agents-bench-store-"));
  const { store, agent, mib } = await fullStore(join(folder, "agents.sqlite3"));
  const none = async () => {};
  const slice = agentsPart(systemClock, {
    storeFile: { open: async () => store, clear: none, setAside: none, isThere: async () => true },
    ...{ processes: async () => [], labelOf: String },
  });
  const { request } = service({ slices: [slice] });
  slice.workspace.settingsChanged();
  await slice.workspace.settled();
  const first = await (await request(`/api/agents/${agent}/messages`)).json();
  const middle = store.messages.page(agent, {
    ...{ cursor: null, limit: 1, q: null, role: null, after: null },
    before: Date.now() / 1000 - 86_400 + MESSAGES / 4,
  }).messages[0]?.id;
  const paths: Record<string, string> = {
    "newest messages": `/api/agents/${agent}/messages`,
    "next page of messages": `/api/agents/${agent}/messages?cursor=${first.next_cursor}`,
    "messages with a common word": `/api/agents/${agent}/messages?q=answer`,
    "messages with a word that is in none": `/api/agents/${agent}/messages?q=nowhere`,
    "all sessions, a common word": "/api/messages?q=answer",
    "all sessions, a word that is in none": "/api/messages?q=nowhere",
    "messages around one in the middle": `/api/agents/${agent}/messages?around=${middle}`,
    timeline: `/api/agents/${agent}/timeline`,
    "timeline of all": "/api/timeline",
    agents: "/api/agents",
    "one agent": `/api/agents/${agent}`,
    resume: `/api/agents/${agent}/resume`,
    decisions: "/api/decisions",
  };
  const rows: string[][] = [];
  for (const [name, path] of Object.entries(paths)) {
    const times: number[] = [];
    for (let count = 0; count < REQUESTS; count++) {
      const startedMs = performance.now();
      const reply = await request(path);
      await reply.text();
      times.push(performance.now() - startedMs);
    }
    rows.push([name, ms(percentile(times, 50)), ms(percentile(times, 99))]);
  }
  const whole = async (path: string) => {
    const startedMs = performance.now();
    let parts = 0;
    for (let cursor: string | null = ""; cursor !== null; parts++) {
      const next = cursor === "" ? "" : `&cursor=${cursor}`;
      const reply = await request(`${path}?q=nowhere${next}`);
      cursor = (await reply.json()).next_cursor;
    }
    return `${parts} requests, ${ms(performance.now() - startedMs)}`;
  };
  const inOne = await whole(`/api/agents/${agent}/messages`);
  const inAll = await whole("/api/messages");
  await slice.workspace.stop();
  await rm(folder, { recursive: true, force: true });
  process.stdout.write(
    `\n${MESSAGES} messages of one session and ${SNAPSHOTS} snapshots; ${REQUESTS} requests each.\n\n` +
      markdownTable(["GET", "median", "p99"], rows) +
      `\nTo the end of a search for a word that is in none: ${inOne} in one session, ${inAll} in all.\n` +
      `\n${((mib * 1024) / (MESSAGES / 1000)).toFixed(0)} KiB for 1,000 messages of 340 characters.\n`,
  );
}

await latencies();
