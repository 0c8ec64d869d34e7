import { describe, expect, test } from "bun:test";
import type { DetectInput } from "../../src/detect/finding.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";
import { labelsOf, plansOf, rowsOf } from "../support/plans.ts";
import { DEFAULT_PATTERNS } from "../support/screens.ts";

const find = (lines: readonly string[], members: Partial<DetectInput> = {}) =>
  detectWith(detectInput(lines, members), DEFAULT_PATTERNS);
const shell = { command: "bash", processes: [["-bash"]] };
const behind = (line: string, row = 0) => ({
  cursor: { row, column: line.length + 1, visible: true },
});

describe("a question on the last line of any program", () => {
  test.each([
    ["apt", "Do you want to continue? [Y/n]", "y* n"],
    ["pip", "Proceed (Y/n)?", "y* n"],
    ["read -p", "Continue? [y/N]", "y n*"],
    ["a plain y/n", "Remove it? (y/n)", "y n"],
    ["a colon behind it", "Overwrite? [y/N]:", "y n*"],
    ["terraform-like yes/no", "Apply these changes? (yes/no)", "yes no"],
  ])("waits with its yes and no: %s", (_name, question, keys) => {
    const found = find(["Deploying to production.", `${question} `]);
    expect(found).toMatchObject({ status: "needs_input", rule: "generic.yes_no" });
    expect(found.prompt?.question).toBe(question);
    const rows = keys.split(" ").map((key, i) => {
      return `${key} ${["Yes", "No"][i]} = "${key.replace("*", "")}" Enter`;
    });
    expect(rowsOf(found)).toEqual(rows);
  });

  const enter = { do: "key", key: "Enter" } as const;
  const literal = (key: string, label: string, selected: boolean) => ({
    ...{ key, label, selected, description: "", freeform: false, checked: null },
    ...{ answer: [{ do: "type" as const, text: key }, enter], answerWithText: null },
  });

  test("has a prompt with its parser, question, evidence and options", () => {
    expect(find(["Deploying.", "Continue? [y/N] "]).prompt).toEqual({
      ...{ parser: "generic.yes_no", recognised: false, questionLine: 1 },
      ...{ question: "Continue? [y/N]", evidence: ["Deploying."] },
      options: [literal("y", "Yes", false), literal("n", "No", true)],
    });
    expect(find(["Press enter to continue"]).prompt?.options).toEqual([
      { ...literal("enter", "Continue", true), answer: [enter] },
    ]);
  });

  test("has the hunk of git add -p as evidence", () => {
    const found = find([
      "@@ -1 +1 @@",
      "-a",
      "+b",
      "(1/2) Stage this hunk [y,n,q,a,d,j,J,g,/,e,?]? ",
    ]);
    expect(found.prompt?.evidence).toEqual(["@@ -1 +1 @@", "-a", "+b"]);
  });

  test.each([
    "[sudo] password for ann: ",
    "Password:",
    "Enter passphrase for key '/home/ann/.ssh/id_ed25519': ",
    "ann@host's password: ",
    "Verification code: ",
  ])("waits without options where it asks for a secret: %s", (line) => {
    const found = find(["connecting", line]);
    expect([found.status, found.rule]).toEqual(["needs_input", "generic.secret"]);
    expect(found.prompt?.options).toEqual([]);
  });

  test.each([
    "Press Enter to continue...",
    "Press any key to continue . . .",
    "Hit return when ready",
    "Press [ENTER] to accept",
  ])("waits for Enter: %s", (line) => {
    const found = find(["done", line]);
    expect(found.rule).toBe("generic.press_enter");
    expect(rowsOf(found)).toEqual(["enter* Continue = Enter"]);
  });

  test("for a code waits only with the cursor right behind it", () => {
    const line = "Enter PIN for 'card':";
    expect(find([line], behind(line))).toMatchObject({ rule: "generic.secret" });
    expect(find([line], { cursor: { row: 1, column: 0, visible: true } }).status).toBe("idle");
  });

  test("is found beside a language's name, which is no prompt of a root shell", () => {
    expect(find(["Which one?", "Use C# or F#? [y/N] "]).rule).toBe("generic.yes_no");
    expect(find(["Total: 5$"]).rule).toBe("generic.quiet");
    expect(find(["written in C#"]).rule).toBe("generic.quiet");
  });

  test("in free words waits only with the cursor right behind it", () => {
    const line = "What is the name of the project?";
    expect(find([line], behind(line)).rule).toBe("generic.input");
    expect(find([line], { cursor: { row: 1, column: 0, visible: true } }).status).toBe("idle");
    expect(find([line]).status).toBe("idle");
  });

  test.each([
    "package name: (web)",
    "Port [8080]:",
    "Remote name: [origin]",
    "rm: remove regular file 'x'?",
    "名前は？",
  ])("for a value waits with the cursor behind it: %s", (line) => {
    const cursor = { row: 0, column: Bun.stringWidth(line) + 1, visible: true };
    expect(find([line], { cursor }).rule).toBe("generic.input");
  });

  test("offers the numbered list above it", () => {
    const found = find([
      "Environments:",
      "",
      "  1) staging",
      "  2) production",
      "",
      "Your choice [1-2]: ",
    ]);
    expect(found.rule).toBe("generic.list");
    expect(rowsOf(found)).toEqual(['1 staging = "1" Enter', '2 production = "2" Enter']);
    expect(found.prompt?.question).toContain("Your choice [1-2]:");
    expect(found.prompt?.questionLine).toBe(5);
  });
});

test("a question offers no list that an earlier question has taken", () => {
  const list = ["1) alpha", "2) beta", "Which one? "];
  const menu = (lines: string[]) => {
    const last = lines.at(-1) ?? "";
    const { prompt } = find(lines, behind(last.trimEnd(), lines.length - 1));
    return [prompt?.question, prompt?.options.length];
  };
  expect(menu(list)).toEqual(["Which one?", 2]);
  expect(menu([...list.slice(0, 2), "Which one? 2", "got beta", "More: "])).toEqual(["More:", 0]);
  // bash asks again without its list.
  expect(menu([...list.slice(0, 2), "Which one? 7", "no such one", "Which one? "])[1]).toBe(2);
});

const on = (row: number, column: number) => ({ cursor: { row, column, visible: true } });

test.each([
  ["after its answer", ["✔ Project name: … web"], on(1, 0)],
  ["after the program has gone on", ["? Project name web"], on(1, 0)],
  ["where it is a hint for help above a status", ["  ? for shortcuts", "  model: large"], {}],
  ["after something was printed below", ["? Project name web", "  created web/"], on(2, 0)],
])("a prompt library's question does not wait %s", (_name, lines, where) => {
  expect(find(lines, { command: "node", ...where }).status).toBe("idle");
});

test("a prompt library's question waits with the cursor behind its last row, if it breaks at the edge", () => {
  const of = (lines: string[], members: Partial<DetectInput>) =>
    find(lines, { command: "node", width: 30, ...members });
  const broken = ["? What is the name of your new", " project (app)"];
  const question = "? What is the name of your new project (app)";
  expect(of(broken, on(1, 15))).toMatchObject({
    ...{ rule: "generic.marked", prompt: { question, questionLine: 0, options: [] } },
  });
  const hint = of([...broken, "ctrl+t toggle visibility"], on(1, 15));
  expect(hint).toMatchObject({ rule: "generic.marked", prompt: { question } });
  expect(of(broken, on(2, 0)).status).toBe("idle");
  expect(of(["? Project name web", " created web/"], on(1, 13)).status).toBe("idle");
});

test.each([
  [["? Overwrite the old settings", "of the staging cluster? (Y/n)"]],
  [["? Overwrite the old settings o", "f the staging cluster? (Y/n)"]],
])("a prompt library's yes/no question is whole where it breaks: %p", (lines) => {
  const rows = ["● Checked 2 files", "", ...lines];
  const at = on(rows.length - 1, (lines.at(-1)?.length ?? 0) + 1);
  const found = find(rows, { command: "node", width: 30, ...at });
  expect(found).toMatchObject({
    rule: "generic.yes_no",
    prompt: { questionLine: rows.length - 1, evidence: ["● Checked 2 files"] },
  });
  expect(found.prompt?.question).toBe("? Overwrite the old settings of the staging cluster? (Y/n)");
});

test("a question that was answered is no part of a prompt library's yes/no question", () => {
  const rows = ["? What is the name of your new", "? Overwrite it? (Y/n)"];
  const found = find(rows, { command: "node", width: 30, ...on(1, 22) });
  expect(found.prompt?.question).toBe("? Overwrite it? (Y/n)");
});

describe("a dialog of an unknown program", () => {
  test("with numbers and a cursor is answered by the number and Enter", () => {
    const found = find([
      "Where should it run?",
      "",
      "  1. Here",
      "❯ 2. There",
      "     far away",
      "",
      "Enter to select",
    ]);
    expect(found.rule).toBe("generic.menu");
    expect(found.prompt?.question).toBe("Where should it run?");
    expect(rowsOf(found)).toEqual(['1 Here = "1" Enter', '2* There (far away) = "2" Enter']);
  });

  test("that filters a list asks on the row of its cursor", () => {
    const rows = ["  Do it?", "> alpha", "  2/2 ─────────", "Which branch? "];
    const found = find(rows, { command: "fzf", processes: [["fzf"]], ...on(3, 14) });
    expect(found.prompt?.question).toBe("Which branch?");
  });

  test("that is a progress gauge does not wait", () => {
    expect(
      find(["│ 50% │"], { command: "whiptail", processes: [["whiptail", "--gauge", "x"]] }).status,
    ).toBe("idle");
  });
});

describe("a screen that only looks like a prompt", () => {
  test.each([
    ["a numbered list in output", ["Steps:", "1. Install", "2. Run", "3. Enjoy"]],
    ["a quoted dialog", ["> Do it?", "> ❯ 1. Yes", "> 2. No"]],
    ["bullets with arrows", ["→ 1. first", "→ 2. second"]],
    [
      "test output",
      [
        "  ● suite › fails",
        "",
        "    expect(received).toBe(expected)",
        "",
        "Tests: 1 failed, 2 passed",
      ],
    ],
    ["a diff with numbers", [" 1  export", " 2 -  return", " 2 +  return `x`", " 3  }"]],
    ["a question in a log", ["info: overwrite? [y/N] was answered y", "info: copying"]],
    ["a letter in brackets", ["Copied 3 files (y)"]],
    ["a token in output", ["Refreshing token:"]],
    ["text that mentions passwords", ["set the password: it is required", "done"]],
  ])("is idle: %s", (_name, lines) => {
    expect(find(lines).status).toBe("idle");
  });

  test.each(["less", "vim", "nvim", "htop", "man", "tig"])(
    "is idle where %s shows it",
    (command) => {
      const found = find(["❯ 1. Yes", "  2. No", "Do you want to continue? [Y/n]"], { command });
      expect(found).toMatchObject({ status: "idle", rule: "generic.viewer", prompt: null });
    },
  );

  test.each([":", "(END)", "notes.txt (END)", "--More--(12%)", "lines 1-40/120 (END)"])(
    "is idle in a pager at %s",
    (last) => {
      expect(find(["commit 1", "    Do you want to go on?", last], { command: "git" }).status).toBe(
        "idle",
      );
    },
  );

  test("waits for Enter where an editor stops at its own messages", () => {
    const found = find(["E325: ATTENTION", "Press ENTER or type command to continue"], {
      command: "vim",
    });
    expect(found.prompt?.options.map((o) => o.key)).toEqual(["enter"]);
  });

  test("is idle where a shell prompt stands below a finished dialog", () => {
    const dialog = ["? Pick", "❯ 1. a", "  2. b", "Enter to select", "", "ann@host:~$ "];
    expect(find(dialog, shell)).toMatchObject({
      status: "idle",
      rule: "shell.prompt",
      prompt: null,
    });
    expect(find([...dialog, ...Array<string>(300).fill("")], shell).status).toBe("idle");
    expect(find(dialog, { command: "ssh" })).toMatchObject({
      status: "idle",
      rule: "generic.shell_prompt",
    });
  });

  test("is idle where a command line stands below a finished dialog", () => {
    const dialog = ["? Pick", "❯ 1. a", "  2. b", "Enter to select · ↑/↓ to navigate", ""];
    for (const command of ["ssh", "make"])
      expect(find([...dialog, "ann@host:~$ make"], { command }).status).toBe("idle");
  });

  test("is idle at the prompt of an interpreter, also below an error", () => {
    const found = find(["Traceback (most recent call last):", "NameError: x", ">>> "], {
      command: "python3",
    });
    expect(found).toMatchObject({ status: "idle", rule: "generic.repl", idleIsCertain: true });
    // Also where a shell runs it, whose rules know no such prompt.
    const lines = ["ERROR 1064: syntax", "mysql> "];
    expect(find(lines, { command: "bash", processes: [["bash", "db.sh"]] }).status).toBe("idle");
  });

  test("is idle where a question is part of a command being typed behind ssh", () => {
    const typed = "ann@host:~$ read -p 'Overwrite? [y/N]";
    expect(find([typed], { command: "ssh" }).status).toBe("idle");
  });

  test("offers no options of a list whose first options are out of sight", () => {
    const found = find(["  3. gamma", "  4. delta", "Your choice: "], behind("Your choice:", 2));
    expect(found.prompt?.options ?? []).toEqual([]);
  });
});

describe("a shell", () => {
  test.each([
    "$ ",
    "# ",
    "% ",
    "❯ ",
    "ann@host:~$",
    "[ann@host src]$ ",
    "root@host:/# ",
    "host% ",
    "ann@host ~ % ",
    "➜  web git:(main) ✗ ",
    "➜  web",
    "ann@host ~/src> ",
    "(venv) ann@host:~$ ",
    "bash-5.2$",
    "╰─❯",
    "~/src ❯",
    "PS C:\\Users> ",
    "demo$ ",
  ])("is idle at an empty prompt: %s", (prompt) => {
    const found = find(["make: *** [all] Error 1", "fatal: broken", prompt], shell);
    expect(found).toMatchObject({
      kind: "shell",
      status: "idle",
      rule: "shell.prompt",
      idleIsCertain: true,
    });
  });

  test("is idle while a command is being typed, also below an error", () => {
    const found = find(["foo: command not found", "ann@host:~$ echo 'Continue?'"], shell);
    expect(found).toMatchObject({ status: "idle", rule: "shell.foreground" });
    expect(find(["foo: command not found", "ann@host:~$ git st"], { command: "bash" }).status).toBe(
      "idle",
    );
  });

  test("has an error of a script that still runs, until a prompt follows", () => {
    const script = { command: "bash", processes: [["bash", "deploy.sh"]] };
    const lines = ["ann@host:~$ ./deploy.sh", "fatal: no remote", "retrying"];
    expect(find(lines, script)).toMatchObject({
      status: "error",
      rule: "generic.pattern.error",
      line: 1,
    });
    expect(find([...lines, "ann@host:~$ "], shell).status).toBe("idle");
  });

  test("waits where its own read asks", () => {
    expect(find(["ann@host:~$ read -p 'Continue? [y/N] ' x", "Continue? [y/N] "], shell).rule).toBe(
      "generic.yes_no",
    );
  });
});

describe("a person's pattern", () => {
  const own = { prompt: ["^GO NOW"], error: ["^BOOM"] };

  test("for prompts is searched in the last lines only, and offers no options where none are known", () => {
    const found = detectWith(detectInput(["x", "go now or never?", "", "(waiting)"]), own);
    expect(found).toMatchObject({ status: "needs_input", rule: "generic.pattern.prompt", line: 1 });
    expect(found.prompt?.options).toEqual([]);
    const yesNo = detectWith(detectInput(["go now (y/n)", "", "(waiting)"]), own);
    expect(yesNo.rule).toBe("generic.pattern.prompt");
    expect(yesNo.prompt?.options.map(({ answer }) => answer.length)).toEqual([2, 2]);
    for (const older of [
      ["GO NOW?", "a", "b", "c", "d"],
      ["GO NOW? yes", "going"],
    ])
      expect(detectWith(detectInput(older), own).status).toBe("idle");
  });

  test("for prompts offers a list that ends the screen below the line", () => {
    const rows = ["one", "two", "three", "four", "five"].map((word, i) => `  ${i + 1}. ${word}`);
    const found = detectWith(detectInput(["GO NOW?", "", ...rows]), own);
    expect(found.rule).toBe("generic.pattern.prompt");
    expect(found.prompt).toMatchObject({ question: "GO NOW?", questionLine: 0 });
    expect(labelsOf(found).join(" ")).toBe("one two three four five");
    expect(detectWith(detectInput(["GO NOW?", "", ...rows, "and on"]), own).status).toBe("idle");
  });

  test("for prompts outranks one for errors, which outranks a quiet screen", () => {
    expect(detectWith(detectInput(["BOOM", "GO NOW"]), own).status).toBe("needs_input");
    expect(detectWith(detectInput(["BOOM", "x", "y", "z", "zz"]), own).status).toBe("error");
  });

  test("an option of a known agent without own rules is focused before Enter, of an unknown one typed", () => {
    const rows = [
      "Run it?",
      "",
      " ▶ 1. Approve once",
      "   2. Reject",
      "",
      " ↑/↓ select · ↵ confirm",
    ];
    const found = (command: string) => find(rows, { command, processes: [[command]] });
    expect(found("kimi-code").prompt?.recognised).toBe(true);
    expect(found("deploy").prompt?.recognised).toBe(false);
    expect(plansOf(found("kimi-code"))).toEqual({ "1": "verify Enter", "2": "Down verify Enter" });
    expect(plansOf(found("deploy"))).toEqual({ "1": '"1" Enter', "2": '"2" Enter' });
  });

  test("is not searched for errors in a known agent without rules of its own", () => {
    const found = detectWith(detectInput(["BOOM", "> "], { command: "droid" }), own);
    expect(found).toMatchObject({ status: "idle", agent: { id: "droid" } });
  });

  test("is not searched in an agent with rules of its own", () => {
    expect(detectWith(detectInput(["GO NOW"], { command: "claude" }), own).status).toBe("idle");
  });
});

test.each([
  [["│ Overwrite the file? (y/n) │"], "Overwrite the file? (y/n)"],
  [
    ["────── Deploy ──────────────", "Continue with production?", "❯ 1. Yes", "  2. No"],
    "Continue with production?",
  ],
])("a frame around a question is no part of the question: %j", (lines, question) => {
  const { status, prompt } = find(lines);
  expect({ status, question: prompt?.question }).toEqual({ status: "needs_input", question });
});

describe("a dialog known by its shape", () => {
  const keys = { terminal: { waiting: "reads", lines: false, echo: false } } as const;

  test("has rows with a star only where the cursor stands among them and a program reads keys", () => {
    const list = ["New conversation or load previous?", "", "* New conversation", "  Load more"];
    const cursor = { row: 3, column: 11, visible: false };
    expect(find(list, { ...keys, cursor }).rule).toBe("generic.rows");
    expect(find(list, { cursor }).status).toBe("idle");
    expect(find(list, { ...keys, cursor: { row: 9, column: 0, visible: false } }).status).toBe(
      "idle",
    );
  });

  test("has rows in the last box, and is no draft of several lines", () => {
    const box = (lines: readonly string[]) => [
      `┌${"─".repeat(60)}┐`,
      ...lines.map((line) => `│ ${line.padEnd(58)} │`),
      `└${"─".repeat(60)}┘`,
    ];
    const list = ["Connect", "", "› One", "  The first", "", "  Two", "  The second"];
    expect(find(box([...list, "", "-".repeat(40), "", "Terms: see there"])).rule).toBe(
      "generic.rows",
    );
    for (const mark of [">", "›", "❯"])
      expect(find(box([`${mark} Please mend`, "  the first", "  the second"])).status).toBe("idle");
  });

  test("has buttons with blanks inside, or a switch below its question", () => {
    const box = ["┌── Ask ──┐", "│  Sure?   │", "│ <   Yes    > <    No    > │", "└─────────┘"];
    const found = find(box);
    expect(found.rule).toBe("generic.buttons");
    expect(found.prompt?.question).toBe("Sure?");
    const notice = find(box.map((line) => line.replace("Sure?", "Done.")));
    expect(notice.prompt?.question).toBe("Done.");
    expect(find(["❯ Delete the stale lockfile?", "● Yes / ○ No"]).rule).toBe("generic.buttons");
    expect(find(["● Yes / ○ No"]).status).toBe("idle");
    expect(find(["Which holds?", "● Yes / ● No"]).status).toBe("idle");
  });

  test("has rows below a text, with a hint that only says how to take a row", () => {
    const list = ["Who are you?", "> Mario", "  Luigi", "  Peach", "", "(enter to confirm)"];
    expect(find(list).rule).toBe("generic.selector");
    // A draft of two lines in an input line, and its hint.
    expect(find(["Done.", "", "> Please mend", "  this", "", "enter to submit"]).status).toBe(
      "idle",
    );
  });

  test("is not made by a footer whose keys only move and leave", () => {
    const page = ["127.0.0.1 localhost", "", "Commands: Use arrow keys to move, 'q' to quit"];
    expect(find(page, { command: "lynx" }).status).toBe("idle");
  });

  test.each([
    ["Delete it? ([yes]/no):", ["yes*", "no"]],
    ["Make it pending? (y or [n])", ["y", "n*"]],
    ["Is this still acceptable to you? Yes/No?", ["yes", "no"]],
    ["是否继续？(y/N)：", ["y", "n*"]],
    ["続行しますか（y/n）？", ["y", "n"]],
  ])("has the bracketed answer as the default of Enter: %s", (line, options) => {
    const found = find([line], behind(line));
    expect(found.rule).toBe("generic.yes_no");
    expect(found.prompt?.options.map((o) => o.key + (o.selected ? "*" : ""))).toEqual([...options]);
  });
});

describe("a question of an editor or a monitor", () => {
  const text = ["-UUU:----F1  notes.txt", "Save file notes.txt? (y, n, !, ., q)"];
  const screen = [...Array<string>(22).fill("shall we?"), ...text];

  test("waits on the last row with the cursor behind it", () => {
    const cursor = { row: 23, column: text[1]?.length ?? 0, visible: true };
    expect(find(screen, { command: "emacs", cursor })).toMatchObject({
      rule: "generic.editor",
      prompt: { question: text[1], options: [] },
    });
    const elsewhere = { row: 3, column: 9, visible: true };
    expect(find(screen, { command: "emacs", cursor: elsewhere }).rule).toBe("generic.viewer");
  });

  test("waits on a row with a style of its own, and not on a row of a file", () => {
    const drawn = (row: string) => [row, ...Array<string>(23).fill("text")];
    const cursor = { row: 0, column: 15, visible: true };
    const asked = "PID to signal:";
    expect(find(drawn(`\x1b[1m${asked}\x1b[0m`), { command: "top", cursor }).rule).toBe(
      "generic.editor",
    );
    expect(find(drawn(asked), { command: "vim", cursor }).rule).toBe("generic.viewer");
  });

  test.each([
    "replace with 2 (y/n/a/q/l/^E/^Y)?",
    "replace with 2? (y)es/(n)o/(a)ll/(q)uit/(l)ast/scroll up(^E)/down(^Y)",
  ])("waits for each match, with the cursor on the match: %s", (asked) => {
    const ruler = "1,1           Top";
    const lines = [...Array<string>(23).fill("text"), asked.padEnd(80 - ruler.length) + ruler];
    const cursor = { row: 3, column: 0, visible: true };
    expect(find(lines, { command: "vim", cursor })).toMatchObject({
      status: "needs_input",
      rule: "generic.editor",
      prompt: { options: [] },
    });
    expect(find([...lines.slice(1), "text"], { command: "vim", cursor }).status).toBe("idle");
  });

  test.each(["a.txt (END) - Next: b.txt", "--More--(Next file: b.txt)"])(
    "is not made by the last row of a pager: %s",
    (last) => {
      const cursor = { row: 23, column: last.length, visible: true };
      const lines = [...Array<string>(23).fill("text"), `\x1b[7m${last}\x1b[0m`];
      expect(find(lines, { command: "less", cursor }).status).toBe("idle");
    },
  );
});
