import { beforeEach, describe, expect, test } from "bun:test";
import { lockStateDir } from "../../src/cli/state-lock.ts";
import { explainFile, explainScreen, requestExplanation, targetOf } from "../../src/cli/explain.ts";
import { StartupError } from "../../src/errors.ts";
import { createLog } from "../../src/lib/log.ts";
import { renderExplanation } from "../../src/terminal/explain.ts";
import { readScreen } from "../support/screens.ts";
import { service } from "../support/service.ts";
import { temporary } from "../support/temporary.ts";

const TOKEN = "sesame";
const { styled } = readScreen("claude", "permission-edit");

describe("a screen in a file", () => {
  test("is explained with the agent that is named, or that the screen tells", () => {
    for (const agent of ["claude", "agent_a", "Claude", null]) {
      const { kind, status, prompt } = explainFile(styled, agent);
      expect(kind.value).toBe("agent_a");
      expect(status).toMatchObject({ value: "needs_input", rule: "agent_a.permission" });
      expect(prompt).toMatchObject({ options: 3, recognised: true });
    }
    expect(explainFile("Continue? (y/n) ", null).status.rule).toBe("generic.yes_no");
  });

  test("is refused for an agent that nobody knows, with those that are known", () => {
    expect(() => explainFile(styled, "clod")).toThrow(StartupError);
    expect(() => explainFile(styled, "clod")).toThrow(/no agent "clod"; there are: claude, codex/);
  });

  test("prints what decided, what was looked at, and what was ruled out", () => {
    const text = renderExplanation(explainFile(styled, "claude"));
    expect(text).toContain("status    needs_input by agent_a.permission\n");
    expect(text).toContain("because   A digit alone answers it; nothing may follow the digit.\n");
    expect(text).toContain("question  Do you want to make this edit to greet.js?\n");
    expect(text).toContain("  |  2 -  return 'Hello ' + name;\n");
    expect(text.split("ruled out before:\n")[1]).toContain("  agent_a.question\n");
  });
});

test.each([
  {},
  { file: "x", pane: "%1" },
  { agent: "claude", pane: "%1" },
  { file: "/nowhere/screen.txt" },
])("refused: %j", async (flags) => {
  const work = explainScreen({ pane: undefined, file: undefined, agent: undefined, ...flags });
  expect(await work.catch((error: unknown) => error)).toBeInstanceOf(StartupError);
});

test("a screen that cannot be read is told with why not", async () => {
  const folder = await temporary("screen");
  const why = (file: string) =>
    explainScreen({ pane: undefined, file, agent: undefined }).catch(String);
  expect(await why(`${folder}/none`)).toContain(`cannot read the screen ${folder}/none (ENOENT)`);
  expect(await why(folder)).toContain(`cannot read the screen ${folder} (EISDIR)`);
});

describe("a pane of the service", () => {
  let stateDir: string;
  beforeEach(async () => {
    stateDir = await temporary("explain");
  });

  test("is asked for where the service says that it listens; none is told so", async () => {
    const ask = () => requestExplanation(stateDir, "%9");
    expect(ask()).rejects.toThrow(/no panewatch runs/);
    const server = service({ token: TOKEN }).listen();
    const lock = await lockStateDir(stateDir, { log: createLog(() => {}) });
    try {
      await lock?.tell({
        pid: process.pid,
        address: { host: "127.0.0.1", port: server.port },
        secret: TOKEN,
      });
      expect(await ask().catch(String)).toMatch(/unknown pane/);
    } finally {
      await lock?.release();
      await server.stop();
    }
  });
});

test.each([
  ["work:1:0", "work:1.0"],
  ["work:1.0", "work:1.0"],
  ["%9", "%9"],
  ["w1:p2", "w1:p2"],
])("a pane is named by its target, or as a page shows it: %s", (pane, target) => {
  expect(targetOf(pane)).toBe(target);
});
