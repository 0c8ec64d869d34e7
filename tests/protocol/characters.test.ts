import { expect, test } from "bun:test";
import { MessageRequest } from "../../src/protocol/agent-replies.ts";
import { firstCharacters } from "../../src/protocol/characters.ts";
import { InputRequest } from "../../src/protocol/input.ts";

const message = { client_message_id: "c", expected_binding_revision: 1 };
const input = {
  ...{ id: "h:1", operation: "text", idempotency_key: "k" },
  expected: { endpoint_revision: "r" },
};

test.each(["x", "é", "漢", "😀"])("8,000 characters are 8,000 characters: %s", (character) => {
  for (const [request, members] of [
    [MessageRequest, message],
    [InputRequest, input],
  ] as const) {
    const { success } = request.safeParse({ ...members, text: character.repeat(8000) });
    expect(success).toBe(true);
    const { error } = request.safeParse({ ...members, text: character.repeat(8001) });
    expect(error?.issues).toMatchObject([{ code: "too_big", path: ["text"] }]);
  }
});

test("the first characters of a text are whole ones", () => {
  expect(firstCharacters("a😀😀😀", 3)).toBe("a😀😀");
  expect(firstCharacters("a😀", 2)).toBe("a😀");
  expect(firstCharacters("", 2)).toBe("");
});
