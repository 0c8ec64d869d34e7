import { expect, test } from "bun:test";
import fc from "fast-check";
import { atOnce, byteByByte, type End, endOf, inSteps, stepsAt } from "./support/ends.ts";
import { IS_THOROUGH, sampled } from "../support/thorough.ts";
import { EVERYTHING } from "./support/messages.ts";
import { RECORDINGS, recordingOf, Replay } from "./support/recordings.ts";
import { promptLine } from "./support/records.ts";
import { memoryStore } from "./support/store.ts";
import { forAllInTime } from "../support/laws.ts";

/** Of one recording in this suite; the long one takes many more. */
const SAMPLES = IS_THOROUGH ? 4 : 1;

for (const recording of sampled(RECORDINGS, 4)) {
  test(`${recording.runtime}/${recording.name}: as it grew, and cut anywhere, ends the same`, async () => {
    const whole = await atOnce(recording);
    const grown = [...recording.sizes].flatMap(([path, sizes]) =>
      [...sizes, ...(recording.cuts.get(path) ?? [])]
        .sort((a, b) => a - b)
        .map((size) => ({ [path]: size })),
    );
    expect(await inSteps(recording, sampled(grown, 2))).toEqual(whole);
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
    await forAllInTime([cuts], SAMPLES, async (shares) => {
      expect(await inSteps(recording, stepsAt(recording, shares))).toEqual(whole);
    });
  });
}

test("a log that grows by single bytes ends the same", async () => {
  // The long suite takes every recording.
  for (const name of ["v0.60.1-simple-turn", "v0.60.1-permission-shell"]) {
    const recording = recordingOf("agent-b", name);
    expect(await byteByByte(recording)).toEqual(await atOnce(recording));
  }
});

/** A recording that was read once, and what was said in it. */
async function simpleTurn() {
  const recording = recordingOf("agent-b", "v0.60.1-simple-turn");
  const messagesIn = (end: End) => end.map(({ messages }) => messages);
  const { store } = memoryStore();
  const replay = await Replay.create(store);
  const [path, bytes] = [...recording.files][0] ?? ["", Buffer.alloc(0)];
  await replay.write(path, bytes);
  await replay.read();
  const whole = messagesIn(await atOnce(recording));
  return { replay, path, bytes, whole, messages: () => messagesIn(endOf(store)) };
}

test("a replaced file and a shortened one are begun anew, and double nothing", async () => {
  const { replay: opened, path, bytes, whole, messages } = await simpleTurn();
  await using replay = opened;
  for (const part of [bytes.subarray(0, 4000), bytes]) {
    await replay.write(path, part);
    await replay.read();
  }
  expect(messages()).toEqual(whole);
  await replay.replace(path, bytes);
  await replay.read();
  expect(messages()).toEqual(whole);
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
  const { replay: opened, path, whole, messages } = await simpleTurn();
  await using replay = opened;
  await replay.rename(path, ".codex/archived_sessions/old.jsonl");
  await replay.read();
  expect(messages()).toEqual(whole);
});

test("a file in the place of another is told as its own session", async () => {
  const { store } = memoryStore();
  await using replay = await Replay.create(store);
  const path = ".claude/projects/x/a.jsonl";
  await replay.write(path, promptLine("mine", 1_800_000_000));
  await replay.read();
  const other = promptLine("theirs", 1_800_000_001, { sessionId: "session-2" });
  await replay.replace(path, Buffer.from(other));
  await replay.read();
  const words = store.sessions.all().map(({ session }) => {
    const { messages } = store.messages.page(session.id, EVERYTHING);
    return [session.native_session_id, messages.map(({ content }) => content)];
  });
  expect(Object.fromEntries(words)).toEqual({ "session-1": ["mine"], "session-2": ["theirs"] });
});

test("a file whose number was another's is no continuation of it", async () => {
  const { store } = memoryStore();
  await using replay = await Replay.create(store);
  await replay.write(".claude/projects/x/a.jsonl", promptLine("mine", 1_800_000_000));
  await replay.read();
  await replay.remove(".claude/projects/x/a.jsonl");
  const other = promptLine("theirs, and longer than before", 1_800_000_001, { sessionId: "s2" });
  await replay.write(".claude/projects/x/b.jsonl", other);
  await replay.read();
  const ids = store.sessions.all().map(({ session }) => session.native_session_id);
  expect(ids.sort()).toEqual(["s2", "session-1"]);
});
