import { describe, expect, test } from "bun:test";
import { needsTerminalUse } from "../../src/detect/detect.ts";
import type { DetectInput, TerminalUse } from "../../src/detect/finding.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";
import { detectInput, detectWith } from "../support/detect-input.ts";

const LINE: TerminalUse = { waiting: "reads", lines: true, echo: true };
const KEY: TerminalUse = { waiting: "reads", lines: false, echo: false };
const EVENTS: TerminalUse = { waiting: "polls", lines: false, echo: false };
const NOBODY: TerminalUse = { waiting: "none", lines: true, echo: true };

interface Told {
  command?: string;
  args?: readonly string[];
  /** Where the cursor stands: row and column. */
  at: [number, number];
  hidden?: boolean;
  kernel: TerminalUse | null;
}

const seen = (text: readonly string[], { command = "python3", args, at, hidden }: Told) =>
  detectInput(text, {
    command,
    processes: [args ?? [command, "app.py"]],
    width: 100,
    cursor: { row: at[0], column: at[1], visible: hidden !== true },
  });

/** As the service does: the kernel is asked only where that may decide. */
function find(text: readonly string[], told: Told) {
  const o = seen(text, told);
  const whole: DetectInput = needsTerminalUse(o, NO_PATTERNS) ? { ...o, terminal: told.kernel } : o;
  return detectWith(whole);
}

const behind = (text: string, gap = 1): [number, number] => [0, Bun.stringWidth(text) + gap];

describe("a line is asked for where the kernel says so, whatever its words", () => {
  test.each(["Proceed with 14 migrations", "Release name -", "Apply the plan"])("%s", (text) => {
    const found = find([text], { at: behind(text), kernel: LINE });
    expect(found).toMatchObject({ rule: "generic.input", prompt: { question: text } });
    expect(find([text], { at: behind(text), kernel: NOBODY }).status).toBe("idle");
    expect(find([text], { at: behind(text), kernel: EVENTS }).status).toBe("idle");
  });

  test("and a secret where nothing is echoed", () => {
    const text = "Vault key for staging»";
    const kernel = { ...LINE, echo: false };
    expect(find([text], { at: behind(text), kernel }).rule).toBe("generic.secret");
  });

  test("text that a person types there is no question", () => {
    expect(find(["hello"], { command: "cat", at: behind("hello", 0), kernel: LINE }).status).toBe(
      "idle",
    );
    expect(find([], { command: "cat", at: [0, 0], kernel: LINE }).status).toBe("idle");
  });

  test("with dots behind its question mark, as xargs asks", () => {
    const text = "rm -f a?...";
    expect(find([text], { at: behind(text, 0), kernel: LINE }).rule).toBe("generic.input");
    expect(find([text], { at: behind(text, 0), kernel: NOBODY }).status).toBe("idle");
  });

  test("a list right above a bare mark is what the mark is about", () => {
    const list = ["1. Keep mine", "2. Take theirs", "3. Merge", ">"];
    const found = find(list, { at: [3, 2], kernel: LINE });
    expect(found.rule).toBe("generic.list");
    expect(found.prompt?.options.map(({ label }) => label)).toEqual([
      "Keep mine",
      "Take theirs",
      "Merge",
    ]);
    expect(find(list, { at: [3, 2], kernel: EVENTS }).rule).toBe("generic.repl");
    expect(find(["Chat", ">"], { at: [1, 2], kernel: LINE }).rule).toBe("generic.repl");
  });

  test("a script of a shell may edit the line that it reads", () => {
    const text = "Release name>";
    const args = ["fish", "-c", "read -P 'Release name> '"];
    const told: Told = { command: "fish", at: behind(text), kernel: EVENTS };
    expect(find([text], { ...told, args }).rule).toBe("generic.input");
    expect(find([text], { ...told, args: ["fish"] }).status).toBe("idle");
    expect(find([text], { ...told, command: "sqlite3", args: ["sqlite3"] }).status).toBe("idle");
  });
});

describe("a list that ends right above the cursor", () => {
  const labels = Array.from({ length: 9 }, (_, i) => `${i + 1}. Choice ${"abcdefghi"[i]}`);
  const drawn = ["Which one do you want?", ...labels.map((text, i) => `${i ? " " : "❯"} ${text}`)];
  const printed = ["Which one do you want?", ...labels];

  test("is the prompt where keys or a line are read", () => {
    for (const kernel of [KEY, EVENTS]) {
      const found = find(drawn, { at: [10, 0], kernel });
      expect(found.rule).toBe("generic.menu");
      expect(found.prompt?.options).toHaveLength(9);
    }
    for (const kernel of [KEY, LINE]) {
      const found = find(printed, { at: [10, 0], kernel });
      expect(found).toMatchObject({
        rule: "generic.list",
        prompt: { question: "Which one do you want?" },
      });
      expect(found.prompt?.options).toHaveLength(9);
    }
  });

  test("takes a key alone where a key is read, and a line with its Enter", () => {
    const answerOf = (kernel: TerminalUse) =>
      find(printed, { at: [10, 0], kernel }).prompt?.options[1]?.answer;
    expect(answerOf(KEY)).toEqual([{ do: "type", text: "2" }]);
    expect(answerOf(LINE)).toEqual([
      { do: "type", text: "2" },
      { do: "key", key: "Enter" },
    ]);
  });

  test("is only printed where nobody reads, also with the cursor behind it", () => {
    for (const at of [
      [10, 0],
      [9, 20],
    ] as const)
      for (const text of [drawn, printed])
        expect(find(text, { command: "sleep", at: [...at], kernel: NOBODY }).status).toBe("idle");
    expect(find(printed, { at: [10, 0], kernel: null }).status).toBe("idle");
  });
});

describe("a list in columns is read whole, or offers nothing", () => {
  const table = [
    "1) us-east-1       4) us-west-2      7) eu-central-1  10) sa-east-1     13) af-south-1",
    "2) us-east-2       5) eu-west-1      8) ap-south-1    11) ca-central-1",
    "3) us-west-1       6) eu-west-2      9) ap-east-1     12) me-south-1",
  ];
  const told: Told = { command: "bash", args: ["bash"], at: [3, 3], kernel: LINE };

  test("all columns, by their numbers", () => {
    const options = find([...table, "#?"], told).prompt?.options ?? [];
    expect(options.map(({ key }) => key)).toEqual(Array.from({ length: 13 }, (_, i) => `${i + 1}`));
    expect(options[3]?.label).toBe("us-west-2");
    expect(options[12]?.label).toBe("af-south-1");
  });

  test("nothing where a number is missing", () => {
    const cut = [...table.slice(0, 2), "3) us-west-1       6) eu-west-2", "#?"];
    const found = find(cut, told);
    expect(found).toMatchObject({ status: "needs_input", prompt: { options: [] } });
  });
});

describe("what runs in tmux, screen or another machine is judged by its cursor", () => {
  const status = '[0] 0:bash*                    "vm" 19:53 23-Nov-26';
  const rows = (text: string, last: string) => [text, ...Array<string>(22).fill(""), last];

  test.each(["Apply the plan? [y/N]", "Password:", "Release name:"])("%s", (text) => {
    for (const command of ["tmux", "screen"]) {
      const told: Told = { command, args: [command], at: behind(text), kernel: EVENTS };
      expect(find(rows(text, status), told).status).toBe("needs_input");
      expect(find(rows(text, status), told).prompt?.evidence).toEqual([]);
      expect(find([text], told).status).toBe("needs_input");
      // It has gone on.
      expect(find([text, ""], { ...told, at: [1, 0] }).rule).not.toBe("generic.input");
    }
  });

  test("a status of any words is told by its colour", () => {
    const bar = `\x1b[30;42m box  1 build  2 deploy ${" ".repeat(40)}\x1b[0m`;
    const text = "Release name:";
    const told: Told = { command: "tmux", args: ["tmux"], at: behind(text), kernel: null };
    expect(find(rows(text, bar), told).rule).toBe("generic.input");
    expect(find(rows(text, "box 1 build"), told).status).toBe("idle");
  });

  test("a viewer there is one where the status or its last line says so", () => {
    const told: Told = { command: "tmux", args: ["tmux"], at: [0, 21], kernel: null };
    const viewer = status.replace("bash", "less");
    expect(find(rows("Apply the plan? [y/N]", viewer), told).rule).toBe("generic.viewer");
    expect(find(["Apply the plan? [y/N]", "(END)"], { ...told, at: [1, 5] }).rule).toBe(
      "generic.pager",
    );
  });

  test("the kernel is not asked: the pane's terminal is not theirs", () => {
    for (const command of ["tmux", "screen", "ssh"])
      expect(
        needsTerminalUse(
          seen(["Go on?"], { command, args: [command], at: [0, 7], kernel: null }),
          NO_PATTERNS,
        ),
      ).toBe(false);
    expect(needsTerminalUse(seen(["Go on?"], { at: [0, 7], kernel: null }), NO_PATTERNS)).toBe(
      true,
    );
  });
});
