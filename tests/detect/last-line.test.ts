import { describe, expect, test } from "bun:test";
import { needsTerminalUse } from "../../src/detect/detect.ts";
import type { DetectInput, TerminalUse } from "../../src/detect/finding.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";
import { detectInput, detectWith } from "../support/detect-input.ts";

const LINE: TerminalUse = { waiting: "reads", lines: true, echo: true };
const KEY: TerminalUse = { waiting: "reads", lines: false, echo: false };
const EVENTS: TerminalUse = { waiting: "polls", lines: false, echo: false };
const NOBODY: TerminalUse = { waiting: "none", lines: true, echo: true };

interface Facts {
  command?: string;
  args?: readonly string[];
  /** Where the cursor stands: row and column. */
  at: [number, number];
  hidden?: boolean;
  kernel: TerminalUse | null;
}

const inputFor = (text: readonly string[], { command = "python3", args, at, hidden }: Facts) =>
  detectInput(text, {
    command,
    processes: [args ?? [command, "app.py"]],
    width: 100,
    cursor: { row: at[0], column: at[1], visible: hidden !== true },
  });

/** As the service does: the kernel is asked only where that may decide. */
function find(text: readonly string[], facts: Facts) {
  const o = inputFor(text, facts);
  const whole: DetectInput = needsTerminalUse(o, NO_PATTERNS)
    ? { ...o, terminal: facts.kernel }
    : o;
  return detectWith(whole);
}

const behind = (text: string, gap = 1): [number, number] => [0, Bun.stringWidth(text) + gap];

describe("a last line of any words", () => {
  test.each(["Proceed with 14 migrations", "Release name -", "Apply the plan"])(
    "waits only where a line is read: %s",
    (text) => {
      const found = find([text], { at: behind(text), kernel: LINE });
      expect(found).toMatchObject({ rule: "generic.input", prompt: { question: text } });
      expect(find([text], { at: behind(text), kernel: NOBODY }).status).toBe("idle");
      expect(find([text], { at: behind(text), kernel: EVENTS }).status).toBe("idle");
    },
  );

  test("waits for a secret where nothing is echoed", () => {
    const text = "Vault key for staging»";
    const kernel = { ...LINE, echo: false };
    expect(find([text], { at: behind(text), kernel }).rule).toBe("generic.secret");
  });

  test("does not wait where a person types it", () => {
    expect(find(["hello"], { command: "cat", at: behind("hello", 0), kernel: LINE }).status).toBe(
      "idle",
    );
    expect(find([], { command: "cat", at: [0, 0], kernel: LINE }).status).toBe("idle");
  });

  test("waits with dots behind its question mark, as xargs asks, where a line is read", () => {
    const text = "rm -f a?...";
    expect(find([text], { at: behind(text, 0), kernel: LINE }).rule).toBe("generic.input");
    expect(find([text], { at: behind(text, 0), kernel: NOBODY }).status).toBe("idle");
  });

  test("offers the list right above a bare mark where a line is read", () => {
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

  test("does not wait behind a value that R prints, where a bare mark is its own prompt", () => {
    const facts = { command: "R", kernel: LINE } as const;
    const printed = [
      ["> 6 * 7", "[1] 42", ">"],
      ["> names(x)", '[1] "a longer name"', '[2] "another one"', ">"],
      ["> is.na(x)", " [1] TRUE FALSE", "[11] TRUE TRUE", ">"],
      ["> x", "[1] TRUE", ">"],
    ];
    for (const rows of printed)
      expect(find(rows, { ...facts, at: [rows.length - 1, 2] })).toMatchObject({
        ...{ status: "idle", rule: "generic.repl" },
      });
    for (const rows of [
      ["[1] Build", "[2] Test", ">"],
      ["[b] Build", "(q) Quit", ">"],
    ])
      expect(find(rows, { ...facts, at: [2, 2] }).status).toBe("needs_input");
  });

  test("waits where a script of a shell edits the line that it reads, and not in a shell or an interpreter", () => {
    for (const text of ["Release name>", "Release name"]) {
      const args = ["fish", "-c", `read -P '${text} '`];
      const facts: Facts = { command: "fish", at: behind(text), kernel: EVENTS };
      expect(find([text], { ...facts, args }).rule).toBe("generic.input");
      // A script of bash may look for a key now and then, such as one that ends what it shows.
      const bash = { ...facts, command: "bash", args: ["bash", "clock.sh"] };
      expect(find([text], bash).status).toBe(text.endsWith(">") ? "needs_input" : "idle");
      expect(find([text], { ...facts, args: ["fish"] }).status).toBe("idle");
      expect(find([text], { ...facts, args: ["fish", "-C", "cd shop"] }).status).toBe("idle");
      expect(find([text], { ...facts, command: "sqlite3", args: ["sqlite3"] }).status).toBe("idle");
    }
  });

  test.each(["Copying files [45%]", "Waiting for the network:", "Loading >"])(
    "does not wait on progress that a script draws while it looks for a key now and then: %s",
    (text) => {
      const args = ["bash", "copy.sh"];
      const facts: Facts = { command: "bash", args, at: behind(text), kernel: EVENTS };
      expect(find([text], facts).status).not.toBe("needs_input");
    },
  );

  test("does not wait where a spinner begins it", () => {
    for (const text of ["◐  Is the server ready?", "⠋ Release name:"])
      expect(find([text], { at: behind(text, 0), hidden: true, kernel: EVENTS }).status).toBe(
        "idle",
      );
  });

  test.each([
    ["Overwrite? (y/n)", "generic.yes_no"],
    ["Release name:", "generic.input"],
  ])("waits at the end of a long output without a line break: %s", (question, rule) => {
    const text = `${"0123456789".repeat(450)} ${question}`;
    const at: [number, number] = [23, (Bun.stringWidth(text) % 100) + 1];
    for (const kernel of [LINE, null]) {
      const found = find([...Array<string>(23).fill("above"), text], { at, kernel });
      expect(found).toMatchObject({ rule, prompt: { question: text } });
      // The question has all of the line: nothing of it is counted as missing.
      expect(found.prompt?.clipped).toBeUndefined();
    }
  });
});

describe("a list that ends right above the cursor", () => {
  const labels = Array.from({ length: 9 }, (_, i) => `${i + 1}. Choice ${"abcdefghi"[i]}`);
  const drawn = ["Which one do you want?", ...labels.map((text, i) => `${i ? " " : "❯"} ${text}`)];
  const printed = ["Which one do you want?", ...labels];

  test("waits where keys or a line are read", () => {
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

  test("is answered by a key alone where a key is read, and with Enter where a line is", () => {
    const answerOf = (kernel: TerminalUse) =>
      find(printed, { at: [10, 0], kernel }).prompt?.options[1]?.answer;
    expect(answerOf(KEY)).toEqual([{ do: "type", text: "2" }]);
    expect(answerOf(LINE)).toEqual([
      { do: "type", text: "2" },
      { do: "key", key: "Enter" },
    ]);
  });

  test("does not wait where nobody reads, also with the cursor right behind it", () => {
    for (const at of [
      [10, 0],
      [9, 20],
    ] as const)
      for (const text of [drawn, printed])
        expect(find(text, { command: "sleep", at: [...at], kernel: NOBODY }).status).toBe("idle");
    expect(find(printed, { at: [10, 0], kernel: null }).status).toBe("idle");
  });
});

describe("a list in columns", () => {
  const table = [
    "1) us-east-1       4) us-west-2      7) eu-central-1  10) sa-east-1     13) af-south-1",
    "2) us-east-2       5) eu-west-1      8) ap-south-1    11) ca-central-1",
    "3) us-west-1       6) eu-west-2      9) ap-east-1     12) me-south-1",
  ];
  const facts: Facts = { command: "bash", args: ["bash"], at: [3, 3], kernel: LINE };

  test("is read whole, in the order of its numbers", () => {
    const options = find([...table, "#?"], facts).prompt?.options ?? [];
    expect(options.map(({ key }) => key)).toEqual(Array.from({ length: 13 }, (_, i) => `${i + 1}`));
    expect(options[3]?.label).toBe("us-west-2");
    expect(options[12]?.label).toBe("af-south-1");
  });

  test.each(["bash-5.2#", "sh-5.1#", "bash-5.2$", "root@vm:~#"])(
    "has a question without the command behind %s",
    (shell) => {
      const typed = `${shell} PS3="Which region? "; select x in $regions; do break; done`;
      const found = find([typed, ...table, "Which region?"], { ...facts, at: [4, 14] });
      expect(found.prompt).toMatchObject({ question: "Which region?", evidence: [] });
      expect(found.prompt?.options).toHaveLength(13);
    },
  );

  test("offers nothing where a number is missing", () => {
    const cut = [...table.slice(0, 2), "3) us-west-1       6) eu-west-2", "#?"];
    const found = find(cut, facts);
    expect(found).toMatchObject({ status: "needs_input", prompt: { options: [] } });
  });
});

describe("a program in tmux, in screen or on another machine", () => {
  const status = '[0] 0:bash*                    "vm" 19:53 23-Nov-26';
  const rows = (text: string, last: string) => [text, ...Array<string>(22).fill(""), last];

  test.each(["Apply the plan? [y/N]", "Password:", "Release name:"])(
    "waits with its cursor behind: %s",
    (text) => {
      for (const command of ["tmux", "screen"]) {
        const facts: Facts = { command, args: [command], at: behind(text), kernel: EVENTS };
        expect(find(rows(text, status), facts).status).toBe("needs_input");
        expect(find(rows(text, status), facts).prompt?.evidence).toEqual([]);
        expect(find([text], facts).status).toBe("needs_input");
        // The program has gone on.
        expect(find([text, ""], { ...facts, at: [1, 0] }).rule).not.toBe("generic.input");
      }
    },
  );

  test("waits above a status line of any words that has a colour of its own", () => {
    const bar = `\x1b[30;42m box  1 build  2 deploy ${" ".repeat(40)}\x1b[0m`;
    const text = "Release name:";
    const facts: Facts = { command: "tmux", args: ["tmux"], at: behind(text), kernel: null };
    expect(find(rows(text, bar), facts).rule).toBe("generic.input");
    expect(find(rows(text, "box 1 build"), facts).status).toBe("idle");
  });

  test("is a viewer where the status or its last line says so", () => {
    const facts: Facts = { command: "tmux", args: ["tmux"], at: [0, 21], kernel: null };
    const viewer = status.replace("bash", "less");
    expect(find(rows("Apply the plan? [y/N]", viewer), facts).rule).toBe("generic.viewer");
    expect(find(["Apply the plan? [y/N]", "(END)"], { ...facts, at: [1, 5] }).rule).toBe(
      "generic.pager",
    );
  });

  test("is not asked about at the kernel, as the pane's terminal is not the program's", () => {
    for (const command of ["tmux", "screen", "ssh"])
      expect(
        needsTerminalUse(
          inputFor(["Go on?"], { command, args: [command], at: [0, 7], kernel: null }),
          NO_PATTERNS,
        ),
      ).toBe(false);
    expect(needsTerminalUse(inputFor(["Go on?"], { at: [0, 7], kernel: null }), NO_PATTERNS)).toBe(
      true,
    );
  });
});

describe("a cursor that a program draws behind its question while it hides the terminal's", () => {
  const own = (text: string, facts: Partial<Facts> = {}) =>
    find([text], { command: "ask", at: [1, 0], hidden: true, kernel: KEY, ...facts });

  test.each([
    ["✔ Name: █", "generic.input", "✔ Name:"],
    ["✔ Name: █emo", "generic.input", "✔ Name: █emo"],
    ["Password: █", "generic.secret", "Password:"],
    ["? Drop the table? [y/N] █", "generic.yes_no", "? Drop the table? [y/N]"],
  ])("makes it wait: %s", (text, rule, question) => {
    for (const kernel of [KEY, EVENTS])
      expect(own(text, { kernel })).toMatchObject({ rule, prompt: { question } });
  });

  test("says that Enter takes what a key has typed", () => {
    const [yes] = own("Drop it? [y/N] █").prompt?.options ?? [];
    expect(yes?.answer.at(-1)).toEqual({ do: "key", key: "Enter" });
  });

  test.each([
    "✔ Name: web-1█",
    "Name:█",
    "Copied: ██",
    "Copied: █░░░",
    "Copied: █ 3%",
    "Copying: █",
    "Copying the files █",
    "> █",
  ])("is none elsewhere: %s", (text) => {
    expect(own(text).status).toBe("idle");
  });

  test("is none where the terminal's is shown, or no keys are taken", () => {
    expect(own("✔ Name: █", { hidden: false }).status).toBe("idle");
    for (const kernel of [NOBODY, { ...NOBODY, lines: false }, LINE, null])
      expect(own("✔ Name: █", { kernel }).status).toBe("idle");
  });
});

describe("a field that a program draws while it hides the terminal's cursor", () => {
  const rows = ["Which release?", "", "> ", "", "(esc to quit)"];
  const drawn = (text: readonly string[], facts: Partial<Facts> = {}) =>
    find(text, { command: "ask", at: [text.length, 0], hidden: true, kernel: EVENTS, ...facts });
  const grey = (text: string) => `\x1b[38;5;240m${text}\x1b[0m`;

  test.each([
    ["a mark alone", ["Which release?", "> \x1b[7m \x1b[0m"]],
    ["a mark alone, and hints below it", rows],
    ["a grey word", ["Your email:", `> \x1b[7my\x1b[0m${grey("ou@example.com")}`]],
    ["a grey word alone", ["Your email:", `\x1b[7my\x1b[0m${grey("ou@example.com")}`]],
    ["a grey word, its cursor dark", ["Your email:", `> ${grey("you@example.com")}`]],
    ["a bar at its left, and a title", ["┃ Release", "┃ > ", "", "enter submit"]],
    ["a bar at its left, and several rows", ["┃ Release", "┃", "┃", "", "ctrl+e open editor"]],
    ["a bar at its left, and other fields", ["┃ Release", "┃ > ", "", "  Deploy?", "  Yes  No"]],
    ["its question before it", ["Enter your query: \x1b[7m \x1b[0m"]],
  ])("waits for words: %s", (_, text) => {
    const question = (text[0] ?? "").replace(/^┃ | \x1b.*/g, "");
    expect(drawn(text)).toMatchObject({ rule: "generic.input", prompt: { question, options: [] } });
    // While it computes for a moment the question stands.
    const kernel = { ...EVENTS, waiting: "none" } as const;
    expect(drawn(text, { kernel }).status).toBe("needs_input");
  });

  test.each([
    ["typed text", ["Which release?", "> v1.2"]],
    ["a typed question", ["┃ Release", "┃ > which one?", "", "enter submit"]],
    ["typed text in a field of several rows", ["┃ Release", "┃ v1.2", "┃", "", "enter submit"]],
    ["no question", ["The release is out.", "> "]],
    ["a question further up", ["Which release?", "", "", "> "]],
    ["a label that asks for nothing", ["Downloading: \x1b[7m \x1b[0m"]],
    ["rows below the question", ["Which release?", "v1", "v2"]],
    ["a grey result", ["Results:", grey("nothing found")]],
    ["a value behind a label", ["Deployed", "Duration: (3s)"]],
    ["a bar of progress", ["Deployed", "Progress: [=====>     ]"]],
    [
      "work below an answered question",
      ["? Project name: demo", "Copying files", "Installing npm"],
    ],
    ["indented work below one", ["? Use TypeScript? Yes", "  Installing", "  3 of 8 packages"]],
    ["a spinner below one", ["? Project name: demo", "  ⠋ Installing packages"]],
    ["tasks below a label", ["Tasks:", "❯ Install", "  Build"]],
    ["a table below a label", ["Pods:", "> api-1   Running", "  api-2   Running"]],
  ])("is none: %s", (_, text) => {
    expect(drawn(text).status).toBe("idle");
  });

  test("is the input line of an agent at rest below the question of its message", () => {
    const said = ["• Shall I go on?", "", "> \x1b[7m \x1b[0m"];
    expect(drawn(said).status).toBe("needs_input");
    expect(drawn(said, { command: "kimi", args: ["kimi"] }).status).toBe("idle");
    const key = ["Enter your API key:", "", "> \x1b[7m \x1b[0m"];
    expect(drawn(key, { command: "kimi", args: ["kimi"] }).status).toBe("needs_input");
  });

  test("is none above a line that asks for Enter", () => {
    const found = drawn(["What is new?", "", "Press Enter to continue"]);
    expect(found).toMatchObject({ rule: "generic.press_enter", prompt: { options: [{}] } });
    for (const field of ["> ", "Your name: \x1b[7m \x1b[0m"])
      expect(drawn(["Which release?", field, "", "press enter to submit"])).toMatchObject({
        rule: "generic.input",
        prompt: { options: [] },
      });
  });

  test("is none in hints that begin with a key", () => {
    // bubbletea leaves the cursor at the left edge of its last row.
    const hints = ["Name   Status", "web-1  up", "", "? toggle help • q quit"];
    expect(drawn(hints, { at: [3, 0] }).status).toBe("idle");
  });

  test("is no part of a list that has a question", () => {
    for (const question of ["? Region ›", "? Which region?"])
      expect(drawn([question, "  us-east", "  eu-west"]).rule).toBe("generic.marked");
    for (const question of ["Select a region:", "Which region?"])
      expect(drawn([question, "> us-east", "  eu-west"]).rule).toBe("generic.rows");
  });

  test("is none on the alternate screen, where the terminal's is shown, or where lines are taken", () => {
    expect(drawn(rows).status).toBe("needs_input");
    const o = inputFor(rows, { at: [5, 0], hidden: true, kernel: null });
    expect(detectWith({ ...o, alternate: true, terminal: EVENTS }).status).toBe("idle");
    expect(drawn(rows, { hidden: false }).status).toBe("idle");
    for (const kernel of [NOBODY, LINE, null]) expect(drawn(rows, { kernel }).status).toBe("idle");
  });
});
