import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { PaneState } from "../../src/protocol/pane.ts";
import { IS_THOROUGH } from "../support/thorough.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { startInput } from "./service.ts";

const REDRAWS = IS_THOROUGH ? 20 : 4;

const tmux = await PrivateTmux.start({ width: 80, height: 24 });
const service = await startInput(tmux);
afterAll(async () => {
  await service.stop();
  await tmux.stop();
});

/** More lines than the screen has, and the same words as in the prompts. */
const HISTORY = [
  ...Array.from({ length: 40 }, (_, i) => `step ${i} of the release`),
  "Which of these comes next?",
  "❯ 1. Yes",
  "  2. No",
  "Delete the branch? (y/n) y",
];

/** A program that nobody knows. `x` clears the screen, which moves the old one into the history. */
async function open(prompt: readonly string[]): Promise<string> {
  const files = join(tmux.folder, Bun.hash(prompt.join("\n")).toString(36));
  await Bun.write(`${files}.history`, HISTORY.map((line) => `${line}\n`).join(""));
  await Bun.write(`${files}.prompt`, prompt.join("\n"));
  const program = [
    // A key that comes between two reads would be echoed into the prompt.
    "stty -echo",
    `cat ${files}.history`,
    "for at in $(seq 99); do",
    `  printf '\\033[2J\\033[H'; cat ${files}.prompt`,
    `  printf '\\033]2;drawn %d\\007' "$at"`,
    `  read -rsn1 key; [ "$key" = x ] || break`,
    "done",
    `printf '\\033[2J\\033[Htaken %s\\n' "$key"; exec sleep 600`,
  ];
  await Bun.write(`${files}.sh`, program.join("\n"));
  return tmux.open(["bash", `${files}.sh`]);
}

const drawn = (id: string, times: number) =>
  service.published(
    id,
    ({ title, status }) => title === `drawn ${times}` && status === "needs_input",
  );

const shown = ({ question, evidence, menu, legacy_guard }: PaneState) => ({
  ...{ question, evidence, menu, legacy_guard },
});

const PROMPTS = {
  "a menu below its question": {
    drawn: ["Deploy to production?", "❯ 1. Yes", "  2. No"],
    question: "Deploy to production?",
    key: "1",
  },
  "a menu without a question": { drawn: ["❯ 1. Yes", "  2. No"], question: "", key: "1" },
  "a menu below a blank row": { drawn: ["", "❯ 1. Yes", "  2. No"], question: "", key: "1" },
  "a question on one line": {
    drawn: ["Delete the branch? (y/n) "],
    question: "Delete the branch? (y/n)",
    key: "y",
  },
  "a list above its line": {
    drawn: ["1) Fast", "2) Slow", "Your choice: "],
    question: "Your choice:",
    key: "1",
  },
};

for (const [name, { drawn: prompt, question, key }] of Object.entries(PROMPTS))
  test.concurrent(
    `${name} is the same prompt after ${REDRAWS} redraws, and can be answered`,
    async () => {
      const id = await open(prompt);
      const first = await drawn(id, 1);
      expect(shown(first)).toMatchObject({ question, evidence: [] });
      for (let times = 2; times <= REDRAWS + 1; times++) {
        await tmux.command("send-keys", "-t", id, "x");
        expect({ times, ...shown(await drawn(id, times)) }).toEqual({ times, ...shown(first) });
      }
      await service.legacy.select({ id, key, expected: first.legacy_guard ?? {} });
      await service.published(id, ({ lines }) => lines.includes(`taken ${key}`));
    },
  );

test("a dialog that nobody can read is the same prompt after it is drawn again", async () => {
  const id = await open(["❯ Fast", "  Slow", "", "↑/↓ to move · enter to select"]);
  const first = await drawn(id, 1);
  await tmux.command("send-keys", "-t", id, "x");
  expect(shown(await drawn(id, 2))).toEqual(shown(first));
});
