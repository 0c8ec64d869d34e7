import { expect, test } from "bun:test";
import { conversationOn, shownMessage } from "../../src/agents/binding/screen-words.ts";

const CODEX = "│ >_ OpenAI Codex (v1.0) │";
const HINT = "│ /model to change │";
const read = (lines: readonly string[], isAtRest = true) =>
  conversationOn(lines, "agent_b", isAtRest);

test("a message has an end of its own only where it is longer than its beginning", () => {
  const { head, tail } = shownMessage("user", "a".repeat(60));
  expect([head, tail]).toEqual([`user ${"a".repeat(60)}`, null]);
  expect(shownMessage("user", `${"a".repeat(60)}b`).tail).toBe(`${"a".repeat(59)}b`);
});

test("a session's folder stands in the rows below its start, or behind its input line", () => {
  const at = (row: number) => {
    const lines = [CODEX, HINT, "│ one │", "│ two │", "│ three │", "│ four │"];
    lines[row] = "│ directory: ~/shop │";
    return read([...lines, "• Done."]).folder;
  };
  expect([1, 2, 4, 5].map(at)).toEqual(["~/shop", "~/shop", "~/shop", null]);
  expect(read(["• Done.", "› Ask", "  medium · ~/shop"]).folder).toBe("~/shop");
  expect(read(["• It is in · ~/no", "› Ask", "  medium"]).folder).toBeNull();
});
