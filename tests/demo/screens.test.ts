import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");
/** Of which recorded screen each is made. */
const MADE_OF = {
  "claude-permission": "claude/permission-bash-v2.1.242",
  "claude-question": "claude/question-single",
  "claude-plan": "claude/plan-approval",
  "claude-composer": "claude/idle-finished",
  "codex-question": "codex/question-single",
  "codex-turn": "codex/idle-finished",
};

/** What of a row is no part: pieces of it, without the space at its ends. */
const fixedOf = (row: string) =>
  row
    .split(/\{[^{}]*\}/)
    .map((piece) => piece.replace(/\s+/g, " ").trim())
    .filter((piece) => piece !== "");

test.each(Object.entries(MADE_OF))("%s draws nothing that was not recorded", (name, recorded) => {
  const drawn = readFileSync(join(ROOT, "src", "demo", "screens", `${name}.txt`), "utf8");
  const path = join(ROOT, "tests", "fixtures", "screens", recorded, "joined.txt");
  const screen = readFileSync(path, "utf8").replace(/\s+/g, " ");
  // That it is a sample is said on top of each.
  const rows = drawn.split("\n").filter((row) => !/sample/i.test(row));
  const pieces = rows.flatMap(fixedOf);
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.filter((piece) => !screen.includes(piece))).toEqual([]);
});
