import { expect, test } from "bun:test";
import fc from "fast-check";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NOTHING_KNOWN } from "../../src/agents/logs/context.ts";
import { parseFields, recordEvents } from "../../src/agents/logs/runtimes/reader.ts";
import { READERS } from "../../src/agents/logs/runtimes/table.ts";
import { LogReading } from "../../src/agents/logs/reading.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { failureOf } from "../../src/store/store-error.ts";
import { FakeClock } from "../support/clock.ts";
import { forAllInTime } from "../support/laws.ts";
import { temporary } from "../support/temporary.ts";
import { IS_THOROUGH, sampled } from "../support/thorough.ts";
import { atOnce, byteByByte, type End, endOf, inSteps, sizesOf, stepsAt } from "./support/ends.ts";
import { killWhileGrowing } from "./support/kills.ts";
import { contents, EVERYTHING } from "./support/messages.ts";
import { readMutations } from "./support/mutations.ts";
import { RECORDINGS, recordingOf, Replay } from "./support/recordings.ts";
import { CLAUDE_LOG, openLogs, promptLine } from "./support/records.ts";
import { allSessions, memoryStore, openStore } from "./support/store.ts";

const T = 1_800_000_000;

/** For each recording; the long suite takes many more. */
const SAMPLES = IS_THOROUGH ? 4 : 1;

for (const recording of sampled(RECORDINGS, 8)) {
  test(`${recording.runtime}/${recording.name}: a log read in any parts gives the same as read at once`, async () => {
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

test("a log read byte by byte gives the same as read at once", async () => {
  // The long suite takes every recording.
  for (const name of ["v0.60.1-simple-turn", "v0.60.1-permission-shell"]) {
    const recording = recordingOf("agent-b", name);
    expect(await byteByByte(recording)).toEqual(await atOnce(recording));
  }
});

/** A recording that was read once, and its messages. */
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

test.each<[string, (log: Awaited<ReturnType<typeof simpleTurn>>) => Promise<unknown>]>([
  [
    "truncated and grown again",
    async ({ replay, path, bytes }) => {
      await replay.write(path, bytes.subarray(0, bytes.length / 2));
      await replay.read();
      await replay.write(path, bytes);
    },
  ],
  ["replaced", ({ replay, path, bytes }) => replay.replace(path, bytes)],
  ["renamed", ({ replay, path }) => replay.rename(path, ".codex/archived_sessions/old.jsonl")],
])("a log that was %s loses and doubles no message", async (_, change) => {
  const log = await simpleTurn();
  await using replay = log.replay;
  await change(log);
  await replay.read();
  expect(log.messages()).toEqual(log.whole);
});

test("a log whose first record was overwritten in the same length is read from its start", async () => {
  await using logs = await openLogs();
  await logs.reads(promptLine("first", T));
  await logs.reads(promptLine("other", T) + promptLine("third", T));
  expect(contents(logs.store)).toEqual(["first", "other", "third"]);
});

/** Native id -> messages. */
const saidIn = ({ store }: Awaited<ReturnType<typeof openLogs>>) =>
  Object.fromEntries(
    allSessions(store).map(({ session }) => {
      const { messages } = store.messages.page(session.id, EVERYTHING);
      return [session.native_session_id, messages.map(({ content }) => content)];
    }),
  );

test("a log of another session under the name of a replaced log becomes a session of its own", async () => {
  await using logs = await openLogs();
  await logs.reads(promptLine("mine", T));
  await logs.readsInstead(promptLine("theirs", T + 1, { sessionId: "s2" }));
  expect(saidIn(logs)).toEqual({ "session-1": ["mine"], s2: ["theirs"] });
});

test("a log that may have the inode of a removed log is not taken for its continuation", async () => {
  await using logs = await openLogs();
  await logs.reads(promptLine("mine", T));
  await logs.replay.remove(CLAUDE_LOG);
  const other = promptLine("theirs, and longer than before", T + 1, { sessionId: "s2" });
  await logs.reads(other, ".claude/projects/x/b.jsonl");
  expect(Object.keys(saidIn(logs)).sort()).toEqual(["s2", "session-1"]);
});

/** The long suite kills two hundred times, over all recordings. */
const KILLS = 2;

test("a reader killed while its logs grow loses no message and doubles none", async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const recordings = [
    recordingOf("agent-a", "todos"),
    recordingOf("agent-a", "queued-message"),
    recordingOf("agent-b", "v0.60.1-resume"),
    recordingOf("agent-b", "backtrack"),
  ];
  const { killed, whole } = await killWhileGrowing(recordings, KILLS, seed);
  expect(killed, `seed ${seed}`).toEqual(whole);
});

test("reading into a full store fails as full, and continues without loss once there is room", async () => {
  const recording = recordingOf("agent-a", "long-and-odd-text");
  const whole = await atOnce(recording);
  const folder = await temporary("full");
  const path = join(folder, "agents.sqlite3");
  const { database, store } = await openStore(path, new FakeClock());
  await using replay = await Replay.create(store);
  await replay.grow(recording, sizesOf(recording));
  const { page_count } = database.query<{ page_count: number }, []>("PRAGMA page_count").get() ?? {
    page_count: 0,
  };
  database.run(`PRAGMA max_page_count = ${page_count + 2}`);
  const failure = await replay.read().catch(failureOf);
  expect(failure).toBe("full");
  database.run("PRAGMA max_page_count = 1000000");
  await replay.read();
  expect(endOf(store)).toEqual(whole);
  database.close();
});

test("five thousand mutated lines are read without an exception", () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  expect(readMutations(5_000, seed).events).toBeGreaterThan(250);
});

test("records that are skipped unparsed hold nothing but their session when they are parsed", () => {
  for (const reader of Object.values(READERS)) {
    const folder = reader.runtime === "agent_a" ? "agent-a" : "agent-b";
    const lines = RECORDINGS.filter(({ runtime }) => runtime === folder)
      .flatMap(({ files }) => [...files.values()])
      .flatMap((bytes) => bytes.toString("utf8").split("\n"));
    const silent = lines.filter((line) => reader.silent.test(line.slice(0, 240)));
    expect(silent.length).toBeGreaterThan(100);
    for (const line of silent) {
      const events = recordEvents(reader, parseFields(line) ?? {});
      expect(events.filter(({ kind }) => kind !== "session")).toEqual([]);
    }
  }
});

test("the state of an unknown session is the same after a turn through JSON", () => {
  expect(JSON.parse(JSON.stringify(NOTHING_KNOWN))).toEqual(NOTHING_KNOWN);
});

test("a log that cannot be opened is logged once, and read as soon as it can be opened", async () => {
  const home = await temporary("home");
  const path = join(home, CLAUDE_LOG);
  mkdirSync(dirname(path), { recursive: true });
  const { store } = memoryStore(T);
  const warnings: string[] = [];
  let isGone = true;
  const reading = new LogReading({
    homes: { agent_a: join(home, ".claude"), agent_b: join(home, ".codex") },
    // Asked after the home was scanned, and before the log is opened.
    retainedFrom() {
      if (isGone) rmSync(path, { force: true });
      return 0;
    },
    ...{ store, clock: systemClock, log: { warn: (message) => void warnings.push(message) } },
  });
  const read = async (text: string) => {
    writeFileSync(path, promptLine(text, T));
    await reading.pass(new AbortController().signal);
    return allSessions(store).map(({ session }) => session.context.goal);
  };
  expect([await read("one"), await read("and two")]).toEqual([[], []]);
  expect(warnings).toEqual(["a session log cannot be read (ENOENT); it is left out"]);
  isGone = false;
  expect(await read("and number three")).toEqual(["and number three"]);
});
