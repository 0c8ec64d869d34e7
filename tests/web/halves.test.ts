import { expect, test } from "bun:test";
import { Halves } from "../../web/state/browser/halves.ts";
import { MemoryStorage } from "../support/memory-storage.ts";

const KEY = "panewatch.halves";
const always = () => true;

test("a place leads to the half that was shown last, over a reload too", () => {
  const storage = new MemoryStorage();
  const before = new Halves(storage);
  before.keep("all", "timeline");
  const after = new Halves(storage);
  expect(after.hashOf("all", always)).toBe("#/timeline");
  expect(after.hashOf("stats", always)).toBe("#/stats");
  after.keep("queue", "first");
  expect(new Halves(storage).hashOf("queue", always)).toBe("#/queue");
});

test("a half that is not there leads to the first, and is not forgotten", () => {
  const halves = new Halves(new MemoryStorage());
  halves.keep("all", "agents");
  expect(halves.hashOf("all", (half) => half !== "agents")).toBe("#/all");
  expect(halves.hashOf("all", always)).toBe("#/agents");
});

test.each(["[", "3", "null", '{"queue":"agents"}', '{"queue":7}', '"review"'])(
  "what is kept as %s leads to the first half",
  (kept) => {
    const storage = new MemoryStorage();
    storage.setItem(KEY, kept);
    expect(new Halves(storage).hashOf("queue", always)).toBe("#/queue");
  },
);
