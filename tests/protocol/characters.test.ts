import { expect, test } from "bun:test";
import { MessageRequest } from "../../src/protocol/agent-replies.ts";
import { firstCharacters } from "../../src/protocol/characters.ts";
import { BroadcastRequest, InputRequest, MAX_BROADCAST_IDS } from "../../src/protocol/input.ts";

const message = { client_message_id: "c", expected_binding_revision: 1 };
const input = {
  ...{ id: "h:1", operation: "text", idempotency_key: "k" },
  expected: { endpoint_revision: "r" },
};

test.each(["x", "é", "漢", "😀"])(
  "a text may have 8,000 characters and no more: %s",
  (character) => {
    for (const [request, members] of [
      [MessageRequest, message],
      [InputRequest, input],
    ] as const) {
      const { success } = request.safeParse({ ...members, text: character.repeat(8000) });
      expect(success).toBe(true);
      const { error } = request.safeParse({ ...members, text: character.repeat(8001) });
      expect(error?.issues).toMatchObject([{ code: "too_big", path: ["text"] }]);
    }
  },
);

test("firstCharacters cuts a text between characters, never inside a surrogate pair", () => {
  expect(firstCharacters("a😀😀😀", 3)).toBe("a😀😀");
  expect(firstCharacters("a😀", 2)).toBe("a😀");
  expect(firstCharacters("", 2)).toBe("");
});

test("a broadcast reads at most one id above the limit", () => {
  const ids = Array.from({ length: MAX_BROADCAST_IDS + 1 }, (_, n) => `%${n}`);
  const read = BroadcastRequest.parse({ ids: [...ids, ...Array(90_000).fill(null)], text: "x" });
  expect(read.ids).toEqual(ids);
  expect(BroadcastRequest.safeParse({ ids: [null], text: "x" }).success).toBe(false);
  expect(BroadcastRequest.safeParse({ ids: "%1", text: "x" }).success).toBe(false);
});
