import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { fingerprints } from "../../src/detect/prompt.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { CLIENT } from "./agent-pane.ts";
import { startInput } from "./service.ts";

// A program that is too busy to read its keys at once, in a real tmux.
const tmux = await PrivateTmux.start({ width: 80, height: 24 });
const service = await startInput(tmux);
afterAll(async () => {
  await service.stop();
  await tmux.stop();
});

/** Longer than the pause between a text and its Enter. */
const BUSY_MS = 500;

/**
 * A question of Claude Code. After each drawing the program computes for a while. What it reads in one
 * piece with other letters is no Enter but a line break, as in the agents themselves.
 */
const QUESTION = `
  const { writeSync } = require("node:fs");
  process.stdin.setRawMode(true);
  let isFocused = false;
  let words = "";
  const rule = "─".repeat(80);
  const field = () => (isFocused ? "❯" : " ") + " 3. " + (words.replaceAll("\\n", "⏎") || "Type something.");
  const draw = () => writeSync(1, "\\x1b[H\\x1b[2J" + [
    rule, " ☐ Database", "", "Which database should the service use?", "",
    (isFocused ? " " : "❯") + " 1. SQLite", "  2. PostgreSQL", field(),
    rule, "  4. Chat about this", "", "Enter to select · ↑/↓ to navigate · Esc to cancel",
  ].join("\\r\\n"));
  process.stdin.on("data", (data) => {
    const text = String(data);
    if (!isFocused) isFocused = text === "3";
    else if (text === "\\r") {
      writeSync(1, "\\x1b[H\\x1b[2J● Noted: " + words + "\\r\\n");
      return;
    } else words += text.replaceAll("\\x15", "").replaceAll("\\r", "\\n");
    draw();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${BUSY_MS});
  });
  draw();
`;

test("the words of an option reach a busy program before their Enter", async () => {
  const file = join(tmux.folder, "question.js");
  await Bun.write(file, QUESTION);
  const named = 'exec -a claude "$@"';
  const id = await tmux.open(["bash", "-c", named, "bash", process.execPath, file]);
  const seen = await service.published(
    id,
    ({ status, kind }) => status === "needs_input" && kind === "agent_a",
  );
  const expected = seen.legacy_guard ?? fingerprints(null);
  await service.legacy.select({ id, key: "3", text: "redis, with care", expected }, CLIENT);
  await service.published(id, ({ lines }) => lines.includes("● Noted: redis, with care"));
  expect(await tmux.screen(id)).not.toContain("⏎");
});
