import { type ByteSource, LogTail, newLog } from "../../../src/agents/logs/tail.ts";
import { Projection } from "../../../src/agents/logs/projection.ts";
import { READERS } from "../../../src/agents/logs/runtimes/table.ts";
import type { AgentStore } from "../../../src/agents/store/store.ts";
import { type Recording, Replay } from "./recordings.ts";
import { allSessions, memoryStore } from "./store.ts";

const EVERYTHING = { cursor: null, limit: 10_000, q: null, role: null, after: null, before: null };

/** All sessions with messages, without counters of passes. */
export function endOf(store: AgentStore) {
  const all = allSessions(store).map(({ session, facts, logLifecycle }) => ({
    id: session.id,
    title: session.title,
    lifecycle: logLifecycle,
    context: { ...session.context, revision: 0, last_updated: 0 },
    facts: { ...facts, logs: store.logs.ofSession(session.id).length },
    messages: store.messages
      .page(session.id, EVERYTHING)
      .messages.map(({ role, content, created_at }) => ({ role, content, created_at })),
    decisions: store.decisions.live(session.id).map(({ request }) => request),
  }));
  return all.filter(({ messages }) => messages.length > 0);
}

export type End = ReturnType<typeof endOf>;

export function sizesOf(recording: Recording): Record<string, number> {
  return Object.fromEntries([...recording.files].map(([path, { length }]) => [path, length]));
}

export async function atOnce(recording: Recording): Promise<End> {
  return inSteps(recording, []);
}

/** A new reader for each step, and for the whole at the end. */
export async function inSteps(
  recording: Recording,
  steps: readonly Record<string, number>[],
): Promise<End> {
  const { store } = memoryStore();
  await using replay = await Replay.create(store);
  for (const sizes of [...steps, sizesOf(recording)]) {
    await replay.grow(recording, sizes);
    await replay.read();
    replay.restart();
  }
  return endOf(store);
}

/** Sizes of all files at shares of their length, which only grow. */
export function stepsAt(recording: Recording, shares: readonly number[]): Record<string, number>[] {
  return shares
    .toSorted((a, b) => a - b)
    .map((share) =>
      Object.fromEntries(
        [...recording.files].map(([path, { length }]) => [path, Math.floor(length * share)]),
      ),
    );
}

/** Reads after each byte that is added; in memory, since a file system takes too long. */
export async function byteByByte(recording: Recording): Promise<End> {
  const { store } = memoryStore();
  const tail = new LogTail();
  const reader = Object.values(READERS).find(
    ({ runtime }) => runtime.replace("_", "-") === recording.runtime,
  );
  if (reader === undefined) throw new Error(`no reader for ${recording.runtime}`);
  for (const [path, bytes] of [...recording.files].sort()) {
    const file = { path, size: 0, born: 1, changed: 1, inode: path };
    let log = newLog(file, reader.runtime);
    const handle: ByteSource = {
      read: (buffer, offset, length, position) => {
        const end = Math.min(file.size, position + length);
        const bytesRead = bytes.copy(buffer, offset, position, Math.max(position, end));
        return Promise.resolve({ bytesRead });
      },
    };
    for (file.size = 1; file.size <= bytes.length; file.size++) {
      const step = await tail.step(handle, file, log, reader);
      if (step.isAtEnd) continue;
      log = store.write(() => {
        store.logs.put(step.log);
        const projection = new Projection({ store, reader, retainedFrom: 0 }, step.log);
        const after = projection.apply(step.records, true);
        store.logs.put(after);
        return after;
      });
    }
  }
  return endOf(store);
}
