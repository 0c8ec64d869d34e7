import { expect, test } from "bun:test";
import {
  parseConversation,
  isDrawnAs,
  edgesOf,
  isOnScreen,
} from "../../src/agents/binding/conversation.ts";

const CODEX = "│ >_ OpenAI Codex (v1.0) │";
const HINT = "│ /model to change │";
const read = (lines: readonly string[], isAtRest = true) =>
  parseConversation(lines, "agent_b", isAtRest);

test("a message has a tail only when it is longer than the 60 characters of its head", () => {
  const { head, tail } = edgesOf("user", "a".repeat(60));
  expect([head, tail]).toEqual([`user ${"a".repeat(60)}`, null]);
  expect(edgesOf("user", `${"a".repeat(60)}b`).tail).toBe(`${"a".repeat(59)}b`);
});

test("the folder is read from the four rows below the start banner, or from the row below the input line", () => {
  const at = (row: number) => {
    const lines = [CODEX, HINT, "│ one │", "│ two │", "│ three │", "│ four │"];
    lines[row] = "│ directory: ~/shop │";
    return read([...lines, "• Done."]).folder;
  };
  expect([1, 2, 4, 5].map(at)).toEqual(["~/shop", "~/shop", "~/shop", null]);
  expect(read(["• Done.", "› Ask", "  medium · ~/shop"]).folder).toBe("~/shop");
  expect(read(["• It is in · ~/no", "› Ask", "  medium"]).folder).toBeNull();
});

test("a screen is fresh when the program is at rest below its start banner or an empty screen, without a turn", () => {
  const isFresh = (...lines: string[]) => read([...lines, "› Ask"]).isFresh;
  expect([isFresh("", ""), isFresh()]).toEqual([true, true]);
  expect(isFresh("", "some output")).toBe(false);
  expect(isFresh(CODEX, HINT, "some output")).toBe(true);
  expect(isFresh(CODEX, HINT, "• Done.")).toBe(false);
  expect(read([CODEX, HINT]).isFresh).toBe(false);
  const below = (...rows: string[]) => read([CODEX, HINT, "› Ask", ...rows]).isFresh;
  const hints = Array.from({ length: 7 }, (_, row) => `  hint ${row}`);
  expect([below(...hints.slice(1)), below(...hints)]).toEqual([true, false]);
  // A turn right below the input line is an answer to it.
  expect(below("• Done.", "  hint")).toBe(false);
  expect(read([CODEX, HINT, "› Ask"], false).isFresh).toBe(false);
});

test("a start banner counts at the top of the screen, or with the hint how to change the model", () => {
  expect(read(["", CODEX, "› Ask"]).hasStart).toBe(true);
  expect(read(["• Ran it", CODEX, HINT]).hasStart).toBe(true);
  expect(read(["• Ran it", CODEX, "› Ask"]).hasStart).toBe(false);
});

test("messages above the command /clear are not part of the conversation", () => {
  const { begins } = parseConversation(["> old words", "> /clear", "● Hello"], "agent_a", false);
  expect([...begins]).toEqual(["assistant hello"]);
});

test("a long message is on the screen when its beginning or its end is", () => {
  const [first, last] = ["a".repeat(70), "b".repeat(70)];
  const standing = (...lines: string[]) =>
    isOnScreen(read(lines), edgesOf("assistant", `${first} ${last}`));
  expect(standing("", last.slice(0, 35), "", last.slice(35))).toBe(true);
  expect(standing(`• ${first}`, "cut off")).toBe(true);
  expect(standing("• Something else", "of two rows")).toBe(false);
});

test("a drawn folder matches a path with ~ for the home and an ellipsis for a part that is cut out", () => {
  const isDrawn = (folder: string) => (drawn: string) => isDrawnAs(folder, drawn, "/home/dev");
  const right = ["~/code/shop", "/home/dev/code/shop", "~/…/shop", "/home/…/shop", "~/co…"];
  const wrong = ["~/shop", "~/shop/", "~", "/home/dev/code", "~/…/other", "/srv/…/shop", "~/other"];
  expect(right.filter(isDrawn("/home/dev/code/shop"))).toEqual(right);
  expect(wrong.filter(isDrawn("/home/dev/code/shop"))).toEqual([]);
  // The cut-out part may be empty, and no letter counts twice.
  expect(["/code…/shop", "/code/…/shop"].map(isDrawn("/code/shop"))).toEqual([true, false]);
});

test("a hostile screen is read in time linear in its text", () => {
  const most = 16_384;
  const rows = [
    `${" ".repeat(most / 2)}${"/".repeat(most / 2)} x`,
    `│ directory:${" ".repeat(most)}x`,
    `${" ".repeat(most)}x`,
    `${"/x".repeat(most / 2)} x`,
    "letters".repeat(most / 7),
  ];
  const lines = [CODEX, HINT, ...Array.from({ length: 200 }, () => rows).flat()];
  // CPU time of this process: others may keep the machine busy.
  const start = process.cpuUsage();
  for (const runtime of ["agent_a", "agent_b"] as const) parseConversation(lines, runtime, true);
  expect(process.cpuUsage(start).user / 1_000_000).toBeLessThan(5);
});
