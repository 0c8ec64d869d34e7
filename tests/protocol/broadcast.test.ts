import { expect, test } from "bun:test";
import { BroadcastRequest, MAX_BROADCAST_IDS } from "../../src/protocol/input.ts";

test("of ids without end no more are read than it takes to refuse them", () => {
  const ids = Array.from({ length: MAX_BROADCAST_IDS + 1 }, (_, n) => `%${n}`);
  const read = BroadcastRequest.parse({ ids: [...ids, ...Array(90_000).fill(null)], text: "x" });
  expect(read.ids).toEqual(ids);
  expect(BroadcastRequest.safeParse({ ids: [null], text: "x" }).success).toBe(false);
  expect(BroadcastRequest.safeParse({ ids: "%1", text: "x" }).success).toBe(false);
});
