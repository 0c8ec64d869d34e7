import { beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StateLock } from "../../src/store/state-lock.ts";
import { explainFile, explainScreen, requestExplanation, targetOf } from "../../src/cli/explain.ts";
import { StartupError } from "../../src/errors.ts";
import { createLog } from "../../src/lib/log.ts";
import { renderExplanation } from "../../src/terminal/explain.ts";
import { readScreen } from "../support/screens.ts";
import { service } from "../support/service.ts";
import { temporary } from "../support/temporary.ts";

const TOKEN = "sesame";
const { styled } = readScreen("claude", "permission-edit");

describe("explain --file", () => {
  test("explain --file uses the named agent, or detects the agent from the screen", () => {
    for (const agent of ["claude", "agent_a", "Claude", null]) {
      const { kind, status, prompt } = explainFile(styled, agent);
      expect(kind.value).toBe("agent_a");
      expect(status).toMatchObject({ value: "needs_input", rule: "agent_a.permission" });
      expect(prompt).toMatchObject({ options: 3, recognised: true });
    }
    expect(explainFile("Continue? (y/n) ", null).status.rule).toBe("generic.yes_no");
  });

  test("explain --file refuses an unknown agent, and lists the known agents", () => {
    expect(() => explainFile(styled, "clod")).toThrow(StartupError);
    expect(() => explainFile(styled, "clod")).toThrow(/no agent "clod"; there are: claude, codex/);
  });

  test("explain --file prints the rule that decided, its evidence, and the rules ruled out before", () => {
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
])("explain refuses the flags %j", async (flags) => {
  const work = explainScreen({ pane: undefined, file: undefined, agent: undefined, ...flags });
  expect(await work.catch((error: unknown) => error)).toBeInstanceOf(StartupError);
});

test("explain prints no character that acts on the terminal or reorders it", async () => {
  const file = join(await temporary("screen"), "screen.txt");
  await writeFile(file, "Delete \u202egpj.exe\u202c\u2066?\r \u0007\u009b2J (y/n) ");
  const text = await explainScreen({ pane: undefined, file, agent: undefined });
  expect(text).toContain("question  Delete  gpj.exe ");
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066]/);
});

test("explain names the error code of a file that it cannot read", async () => {
  const folder = await temporary("screen");
  const why = (file: string) =>
    explainScreen({ pane: undefined, file, agent: undefined }).catch(String);
  expect(await why(`${folder}/none`)).toContain(`cannot read the screen ${folder}/none (ENOENT)`);
  expect(await why(folder)).toContain(`cannot read the screen ${folder} (EISDIR)`);
});

describe("explain of a pane", () => {
  let stateDir: string;
  beforeEach(async () => {
    stateDir = await temporary("explain");
  });

  test("explain asks the running service, and is refused without a service", async () => {
    const ask = () => requestExplanation({ config: join(stateDir, "c.yaml") }, "%9");
    expect(ask()).rejects.toThrow(/no panewatch runs/);
    const server = service({ token: TOKEN }).listen();
    const lock = await StateLock.take(stateDir, { log: createLog(() => {}) });
    try {
      await lock.tell({ host: "127.0.0.1", port: server.port }, TOKEN);
      expect(await ask().catch(String)).toMatch(/unknown pane/);
    } finally {
      await lock.release();
      await server.stop();
    }
  });
});

test.each([
  ["work:1:0", "work:1.0"],
  ["work:1.0", "work:1.0"],
  ["%9", "%9"],
  ["w1:p2", "w1:p2"],
])("explain accepts a pane by its target or as the page shows it: %s", (pane, target) => {
  expect(targetOf(pane)).toBe(target);
});
