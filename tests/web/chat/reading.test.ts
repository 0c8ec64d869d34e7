import { expect, test } from "bun:test";
import fc from "fast-check";
import type { SeenMessage } from "../../../src/protocol/tolerant-agents.ts";
import { keepBlocks, MAX_MESSAGES } from "../../../web/model/chat/blocks.ts";
import { shownUntil } from "../../../web/model/chat/following.ts";
import { excerptAround, markHits } from "../../../web/model/chat/hits.ts";
import { uuid } from "../../review/works.ts";

const message = (n: number, content = "words", more: Partial<SeenMessage> = {}): SeenMessage => ({
  id: uuid(n),
  agent_id: uuid(1),
  role: "assistant",
  content,
  status: "observed",
  native_event_id: null,
  client_message_id: null,
  created_at: n,
  updated_at: n,
  ...more,
});
const run = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, i) => message(from + i));

test("blocks hold every message once, in order, and are bounded", () => {
  const messages = fc
    .array(fc.nat(9000), { maxLength: 80 })
    .map((sizes) => sizes.map((size, n) => message(n, "x".repeat(size))));
  fc.assert(
    fc.property(messages, (all) => {
      const blocks = keepBlocks([], all, all[7]?.id ?? null);
      expect(blocks.flatMap((block) => block.messages)).toEqual(all);
      expect(Math.max(0, ...blocks.map((block) => block.messages.length))).toBeLessThanOrEqual(
        MAX_MESSAGES,
      );
      if (all[7]) expect(blocks.map(({ key }) => key)).toContain(all[7].id);
    }),
  );
});

test("what comes at either end leaves the other blocks as they are", () => {
  fc.assert(
    fc.property(fc.nat(120), fc.nat(60), fc.nat(60), (middle, older, newer) => {
      const before = keepBlocks([], run(1000, 1000 + middle), null);
      // Read again: other objects that say the same.
      const all = [...run(1000 - older, 1000), ...run(1000, 1000 + middle + newer)];
      const after = keepBlocks(before, all, null);
      expect(after.flatMap((block) => block.messages)).toEqual(all);
      const kept = before.slice(0, newer > 0 ? -1 : undefined);
      expect(kept.every((block) => after.includes(block))).toBe(true);
    }),
  );
});

test("a message that was seen in the log changes its block alone", () => {
  const messages = run(0, 3 * MAX_MESSAGES);
  const before = keepBlocks([], messages, null);
  const seen = messages.map((one, n) =>
    n === MAX_MESSAGES + 1 ? { ...one, status: "sent" as const } : one,
  );
  const after = keepBlocks(before, seen, null);
  expect(after.map((block, i) => block === before[i])).toEqual([true, false, true]);
});

test("away from the end what comes is counted, not shown", () => {
  const messages = run(0, 5);
  expect(shownUntil(messages, null)).toEqual({ messages, newer: 0 });
  expect(shownUntil(messages, uuid(2))).toEqual({ messages: messages.slice(0, 3), newer: 2 });
  // It is not there any more: nothing says where the end was.
  expect(shownUntil(messages, uuid(9))).toEqual({ messages, newer: 0 });
});

test("hits are marked, and nothing else changes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (text, search) => {
      const parts = markHits(text, search);
      expect(parts.map((part) => part.text).join("")).toBe(text);
    }),
  );
  expect(markHits("Redis and redis:7 (x)", "redis")).toEqual([
    { text: "Redis", isHit: true },
    { text: " and ", isHit: false },
    { text: "redis", isHit: true },
    { text: ":7 (x)", isHit: false },
  ]);
  expect(markHits("a.b axb", "a.b").filter(({ isHit }) => isHit)).toHaveLength(1);
  expect(markHits("100% of [it]", "% of [").filter(({ isHit }) => isHit)).toHaveLength(1);
});

test("the excerpt holds the first hit", () => {
  const text = `${"before ".repeat(40)}\nRedis here ${"behind ".repeat(60)}`;
  const excerpt = excerptAround(text, "redis");
  expect(excerpt.startsWith("…") && excerpt.endsWith("…")).toBe(true);
  expect(excerpt).toContain("Redis here");
  expect(excerpt.length).toBeLessThan(240);
  expect(excerptAround("short text", "t")).toBe("short text");
});
