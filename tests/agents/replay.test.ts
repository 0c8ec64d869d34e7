import { expect, test } from "bun:test";
import fc from "fast-check";
import type { AgentStore } from "../../src/agents/store.ts";
import { type Recording, RECORDINGS, recordingOf, Replay } from "./support/recordings.ts";
import { memoryStore } from "./support/store.ts";

const EVERYTHING = { cursor: null, limit: 200, q: null, role: null, after: null, before: null };
/** Of one recording in this suite; the long one takes many more. */
const SAMPLES = 4;

/** All that is known at the end; counters that count looks are left out. */
function endOf(store: AgentStore) {
  return store.sessions.all().map(({ session, facts, logLifecycle }) => ({
    id: session.id,
    title: session.title,
    lifecycle: logLifecycle,
    context: { ...session.context, revision: 0, last_updated: 0 },
    facts: { ...facts, logs: facts.logs.length },
    messages: store.messages
      .page(session.id, EVERYTHING)
      .messages.map(({ role, content, created_at }) => ({ role, content, created_at })),
    decisions: store.decisions.live(session.id).map(({ asked }) => asked),
  }));
}

function sizesOf(recording: Recording): Record<string, number> {
  return Object.fromEntries([...recording.files].map(([path, { length }]) => [path, length]));
}

async function atOnce(recording: Recording) {
  const { store } = memoryStore();
  await using replay = await Replay.create(store);
  await replay.grow(recording, sizesOf(recording));
  await replay.read();
  return endOf(store);
}

/** Cuts of all files, as one row of sizes that only grow. */
async function inSteps(recording: Recording, steps: readonly Record<string, number>[]) {
  const { store } = memoryStore();
  await using replay = await Replay.create(store);
  for (const sizes of [...steps, sizesOf(recording)]) {
    await replay.grow(recording, sizes);
    await replay.read();
    replay.restart();
  }
  return endOf(store);
}

const bare = (end: Awaited<ReturnType<typeof atOnce>>) =>
  end.filter(({ messages }) => messages.length > 0);

for (const recording of RECORDINGS) {
  test(`${recording.runtime}/${recording.name}: as it grew, and cut anywhere, ends the same`, async () => {
    const whole = bare(await atOnce(recording));
    const grown = [...recording.sizes].flatMap(([path, sizes]) =>
      [...sizes, ...(recording.cuts.get(path) ?? [])]
        .sort((a, b) => a - b)
        .map((size) => ({ [path]: size })),
    );
    expect(bare(await inSteps(recording, grown))).toEqual(whole);
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(cuts, async (shares) => {
        const steps = shares
          .sort((a, b) => a - b)
          .map((share) =>
            Object.fromEntries(
              [...recording.files].map(([path, { length }]) => [path, Math.floor(length * share)]),
            ),
          );
        expect(bare(await inSteps(recording, steps))).toEqual(whole);
      }),
      { numRuns: SAMPLES },
    );
  });
}

test("a log that grows by single bytes ends the same", async () => {
  const recording = recordingOf("agent-b", "v0.60.1-simple-turn");
  const whole = bare(await atOnce(recording));
  const { store } = memoryStore();
  await using replay = await Replay.create(store);
  for (const [path, bytes] of recording.files) {
    // The end of each line, byte by byte, is where a reader could go wrong; its middle is sampled.
    for (let size = 0; size <= bytes.length; size++) {
      const isNearEnd = bytes.subarray(size, size + 3).includes(10) || bytes[size - 1] === 10;
      if (!isNearEnd && size % 97 !== 0 && size !== bytes.length) continue;
      await replay.write(path, bytes.subarray(0, size));
      await replay.read();
    }
  }
  expect(bare(endOf(store))).toEqual(whole);
});

test("a replaced file and a shortened one are begun anew, and double nothing", async () => {
  const recording = recordingOf("agent-b", "v0.60.1-simple-turn");
  const whole = bare(await atOnce(recording));
  const { store } = memoryStore();
  await using replay = await Replay.create(store);
  const [path, bytes] = [...recording.files][0] ?? ["", Buffer.alloc(0)];
  await replay.write(path, bytes);
  await replay.read();
  await replay.write(path, bytes.subarray(0, 4000));
  await replay.read();
  await replay.write(path, bytes);
  await replay.read();
  expect(bare(endOf(store)).map(({ messages }) => messages)).toEqual(
    whole.map(({ messages }) => messages),
  );
  await replay.replace(path, bytes);
  await replay.read();
  expect(bare(endOf(store)).map(({ messages }) => messages)).toEqual(
    whole.map(({ messages }) => messages),
  );
});

test("a file of the same size with other words is begun anew", async () => {
  const { store } = memoryStore();
  await using replay = await Replay.create(store);
  const line = (text: string) =>
    `${JSON.stringify({
      type: "user",
      sessionId: "s",
      uuid: text,
      version: "2.1.330",
      timestamp: "2027-01-01T00:00:00.000Z",
      message: { role: "user", content: text },
    })}\n`;
  await replay.write(".claude/projects/x/a.jsonl", line("first"));
  await replay.read();
  await replay.write(".claude/projects/x/a.jsonl", line("other") + line("third"));
  await replay.read();
  const [session] = store.sessions.all();
  const { messages } = store.messages.page(session?.session.id ?? "", EVERYTHING);
  expect(messages.map(({ content }) => content)).toEqual(["first", "other", "third"]);
});

test("a log under another name goes on where it was", async () => {
  const recording = recordingOf("agent-b", "v0.60.1-simple-turn");
  const whole = bare(await atOnce(recording));
  const { store } = memoryStore();
  await using replay = await Replay.create(store);
  const [path, bytes] = [...recording.files][0] ?? ["", Buffer.alloc(0)];
  await replay.write(path, bytes);
  await replay.read();
  await replay.rename(path, ".codex/archived_sessions/old.jsonl");
  await replay.read();
  const end = bare(endOf(store));
  expect(end.map(({ messages }) => messages)).toEqual(whole.map(({ messages }) => messages));
});
