import { expect, test } from "bun:test";
import { join } from "node:path";
import { until } from "../support/until.ts";
import { HostStage } from "./stage.ts";

/**
 * Program of Node that takes keys. Of its three questions the second is answered by one key. To the
 * others an Enter read in one piece with other letters is a part of the text.
 */
const KEY_QUESTIONS = `
  process.stdin.setRawMode(true);
  const asked = ["? Project name: ", "? Delete it? (y/N) ", "? Delete all others too? (Y/n) "];
  const answers = [];
  let text = "";
  const draw = () => process.stdout.write("\\r" + asked[answers.length] + text);
  const answer = (given) => {
    answers.push(given || "default");
    text = "";
    process.stdout.write("\\r\\n");
    if (answers.length < asked.length) draw();
    else process.stdout.write("taken " + answers.join(" and ") + "\\r\\n");
  };
  const take = (piece) => {
    if (answers.length === 1) {
      answer(piece[0]);
      if (piece.length > 1) take(piece.slice(1));
    } else if (piece === "\\r") answer(text);
    else {
      text += piece.replaceAll("\\r", "⏎");
      draw();
    }
  };
  process.stdin.on("data", (data) => take(String(data)));
  draw();
`;

const stage = await HostStage.open();
const there = await stage.host("gpu-1");
await stage.begin();
await stage.hostIs("gpu-1", "live");

/** The pane of the host whose prompt has these words. */
const asking = (words: string) =>
  until(async () =>
    (await stage.panes()).find(
      ({ status, question }) => status === "needs_input" && question?.includes(words),
    ),
  );

test("questions of a program that takes keys on a host get Enter behind what was drawn, and none behind a key that has answered", async () => {
  const file = join(there.folder, "questions.js");
  await Bun.write(file, KEY_QUESTIONS);
  const own = await there.open(["bash", "-c", `exec "$@"`, "bash", process.execPath, file]);
  const { id, legacy_guard } = await asking("Project name");
  const text = { id, text: "demo", enter: true, expected: legacy_guard };
  expect((await stage.post("/api/text", text)).status).toBe(200);
  for (const [words, key] of [
    ["Delete it?", "y"],
    ["Delete all others too?", "n"],
  ] as const) {
    const expected = (await asking(words)).legacy_guard;
    expect((await stage.post("/api/select", { id, key, expected })).status).toBe(200);
  }
  await until(async () => (await there.screen(own)).includes("taken "));
  expect(await there.screen(own)).toContain("taken demo and y and n");
});

test("a question on a host that is not echoed asks for a secret, and waits no more once it was answered", async () => {
  const line = "read -sp 'Magic word: '; exec sleep 600";
  const own = await there.open(["bash", "-c", line]);
  const secret = await asking("Magic word");
  expect(secret.reason).toBe("generic.secret");
  await there.command("send-keys", "-t", own, "abc", "Enter");
  await until(async () => {
    const pane = (await stage.panes()).find(({ id }) => id === secret.id);
    return pane?.status === "idle" && pane.reason === "generic.unread";
  });
});
