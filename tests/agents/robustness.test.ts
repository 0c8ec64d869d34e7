import { expect, test } from "bun:test";
import { NOTHING_KNOWN } from "../../src/agents/logs/context.ts";
import { parseFields, recordEvents } from "../../src/agents/logs/runtimes/reader.ts";
import { READERS } from "../../src/agents/logs/runtimes/table.ts";
import { readMutations } from "./support/mutations.ts";
import { RECORDINGS } from "./support/recordings.ts";

test("five thousand lines that nobody wrote throw nothing", () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  expect(readMutations(5_000, seed).events).toBeGreaterThan(250);
});

test("what is passed over unread says nothing when it is read", () => {
  for (const reader of READERS) {
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

test("a state is a value of JSON", () => {
  expect(JSON.parse(JSON.stringify(NOTHING_KNOWN))).toEqual(NOTHING_KNOWN);
});
