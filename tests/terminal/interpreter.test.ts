import { describe, expect, test } from "bun:test";
import { parseScreen } from "../../src/detect/ansi.ts";
import type { TerminalUse } from "../../src/detect/finding.ts";
import { NO_PATTERNS, type PatternFindings } from "../../src/detect/pattern-rules.ts";
import { interpret, processesOf } from "../../src/terminal/interpreter.ts";
import { listedPane } from "../support/pane.ts";

const READS: TerminalUse = { waiting: "reads", lines: true, echo: true };

/** Interprets a screen and counts how often the kernel was asked. */
async function read(
  text: string,
  members: { command?: string; use?: TerminalUse | null; found?: PatternFindings } = {},
) {
  const { command = "deploy", use = READS, found = NO_PATTERNS } = members;
  const pane = listedPane({ command, width: 80, height: 24 });
  let asked = 0;
  const provider = {
    processes: () => Promise.resolve([{ pid: 1, startedAt: null, args: [command] }]),
    terminalUse: () => {
      asked++;
      return Promise.resolve(use);
    },
  };
  const deps = { provider, matcher: { match: () => Promise.resolve(found) } };
  const cursor = {
    row: text.split("\n").length - 1,
    column: 1 + (text.split("\n").at(-1) ?? "").length,
    visible: true,
  };
  const subject = {
    pane: { ...pane, cursor },
    screen: parseScreen(text),
    kindOverride: null,
    age: "now",
  } as const;
  const seen = await interpret(deps, subject, { prompt: [], error: [] });
  return { asked, seen, finding: seen?.finding, provider, pane };
}

test.each([
  ["a log", "compiled main.c\nlinked\n", "deploy"],
  ["a shell at its prompt", "ann@host:~$", "deploy"],
  ["an interpreter at its prompt", "Python 3.11\n>>>", "deploy"],
  ["nothing at all", "", "deploy"],
  ["a question of an agent with rules of its own", "Which one?", "claude"],
])("the kernel is not asked about a screen that shows %s", async (_name, text, command) => {
  expect((await read(text, { command })).asked).toBe(0);
});

test("a possible question waits where the kernel says that a program reads, and explain gives that reason", async () => {
  const { asked, finding } = await read("Target environment:");
  expect(asked).toBe(1);
  expect(finding).toMatchObject({ status: "needs_input", rule: "generic.input" });
  expect(finding?.ruledOut.at(-1)?.note).toBe(
    "the kernel: a program reads a line from the terminal",
  );
});

test("a possible question does not wait where no program reads, and explain gives that reason", async () => {
  const { finding } = await read("Target environment:", { use: { ...READS, waiting: "none" } });
  expect(finding).toMatchObject({ status: "idle", rule: "generic.unread" });
  expect(finding?.ruledOut.at(-1)?.note).toBe("the kernel: no program reads the terminal");
});

describe("a line that matches a person's prompt pattern, with the cursor below it", () => {
  const found = { prompt: { pattern: "your turn", index: 0 }, error: null };

  test("waits where a program reads the terminal", async () => {
    const { asked, finding } = await read("your turn now\n", { found });
    expect(asked).toBe(1);
    expect(finding).toMatchObject({ status: "needs_input", rule: "generic.pattern.prompt" });
  });

  test("does not wait where no program reads the terminal", async () => {
    const { finding } = await read("your turn now\n", {
      found,
      use: { ...READS, waiting: "none" },
    });
    expect(finding?.status).toBe("idle");
  });

  test("does not wait where something was printed below it", async () => {
    const { asked, finding } = await read("your turn now\nlinked main.c\n", { found });
    expect(asked).toBe(0);
    expect(finding?.status).toBe("idle");
  });
});

test("the processes that a screen was read by include what the kernel says of the terminal", async () => {
  const { seen, provider, pane } = await read("Target environment:");
  const now = (asksTerminal: boolean) => processesOf(provider, pane, { asksTerminal, age: "now" });
  expect(await now(true)).toBe(seen?.processes ?? "");
  expect(await now(false)).not.toBe(seen?.processes ?? "");
});
