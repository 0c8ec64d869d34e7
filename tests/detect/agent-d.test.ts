import { describe, expect, test } from "bun:test";
import type { DetectInput } from "../../src/detect/finding.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";
import { labelsOf, plansOf } from "../support/plans.ts";

const find = (lines: readonly string[], members: Partial<DetectInput> = {}) =>
  detectWith(detectInput(lines, { command: "opencode", ...members }));

const USER = ["  ┃", "  ┃  Run the tests", "  ┃", ""];
const TURN = "     ▣  Build · Lab model";
const COMPOSER = ["  ┃", "  ┃", "  ┃  Build · Lab model Lab", `  ╹${"▀".repeat(60)}`];
const IDLE_HINTS = "   /tmp/demo/oc                 tab agents  ctrl+p commands";
const panel = (lines: readonly string[]) => [
  "",
  "  ┃",
  ...lines.map((line) => `  ┃  ${line}`.trimEnd()),
  "  ┃",
];

/** The focused word has a background of its own; everything else has the panel's. */
const row = (words: readonly string[], focused: number) =>
  words
    .map((word, i) => (i === focused ? `\u001b[48;5;215m ${word} \u001b[48;5;234m` : ` ${word} `))
    .join(" ");
const PANEL = "\u001b[48;5;234m";
const permission = (focused: number, evidence: readonly string[] = ["$ npm test"]) => [
  ...USER,
  TURN,
  ...panel(["△ Permission required", "  # Shell command", "", ...evidence, ""]),
  `  ┃${PANEL}  ${row(["Allow once", "Allow always", "Reject"], focused)}   ⇆ select  enter confirm`,
  "\u001b[0m  ┃",
];

describe("OpenCode's permission panel", () => {
  test("is not answered without colours, which alone show the focus", () => {
    const plain = permission(0).map((line) => line.replace(/\u001b\[[\d;]*m/g, ""));
    const found = find(plain);
    expect(found.status).toBe("needs_input");
    expect(plansOf(found)).toEqual({ "1": "", "2": "", "3": "" });
  });

  test("has words of the command that look like buttons or a heading as evidence", () => {
    const found = find(
      permission(0, ["△ Permission required", "Allow once   Reject", "1. Yes", "2. No"]),
    );
    expect(labelsOf(found)).toEqual(["Allow once", "Allow always", "Reject"]);
    expect(found.prompt?.evidence.map((line) => line.trim())).toContain("2. No");
  });
});

describe("a command that OpenCode's panel cuts off", () => {
  const cut = ["$ set -e", "echo 1", "echo 2"];
  // In the session the other lines of a command are further in than its first.
  const indented = (line: string) => line && `${line.startsWith("$ ") ? "" : "  "}     ${line}`;
  const withSession = (block: readonly string[]) => {
    const [dialog, turn] = [permission(0, cut), permission(0, cut).indexOf(TURN)];
    return [...dialog.slice(0, turn), ...block.map(indented), "", ...dialog.slice(turn)];
  };
  const evidence = (block: readonly string[]) => find(withSession(block)).prompt?.evidence.slice(2);

  test("is completed from the session above, also behind an empty line", () => {
    const whole = [...cut, "echo 3", "", "rm -rf /"];
    expect(evidence(whole)).toEqual(whole);
    expect(evidence(cut)).toEqual(cut);
  });

  test("has a mark where it fills the panel and the session repeats only its end", () => {
    const seven = [...cut, "echo 3", "echo 4", "echo 5", "echo 6"];
    const dialog = permission(0, seven);
    const end = seven.slice(2);
    const found = find([...end.map(indented), "", ...dialog.slice(dialog.indexOf(TURN))]);
    expect(found.prompt?.evidence.slice(2)).toEqual([...seven, "…", ...end]);
  });

  test("is not completed by another command that waits for its turn", () => {
    expect(evidence([...cut, "echo 3", "", "$ rm -rf /"])).toEqual([...cut, "echo 3"]);
    expect(evidence([...cut, "", "$ rm -rf /"])).toEqual(cut);
    expect(evidence([...cut, "$ rm -rf /"])).toEqual(cut);
  });

  test("is completed by no command of two that begin as it does, unless it is whole", () => {
    const other = [...cut, "rm -rf /"];
    expect(evidence([...cut, "echo 3", ...other])).toEqual([
      ...cut,
      "… more lines in the terminal",
    ]);
    expect(evidence([...cut, ...other])).toEqual(cut);
    expect(evidence([...other, "", ...cut])).toEqual(cut);
  });

  test("has a mark for more lines where the panel has a scrollbar", () => {
    const found = find(permission(0, ["1 - old                █", "1 + new                ▀"]));
    expect(found.prompt?.evidence.slice(2)).toEqual([
      "1 - old",
      "1 + new",
      "… more lines in the terminal",
    ]);
  });
});

const ask = (rows: readonly string[], hints: string) =>
  find([...USER, TURN, ...panel(["Which one?", "", ...rows, "", hints])]);

test("OpenCode's question with ten options is never answered with two digits", () => {
  const rows = Array.from({ length: 10 }, (_, i) => `${i + 1}. Choice ${i + 1}`);
  const plans = plansOf(ask(rows, "↑↓ select  enter submit  esc dismiss"));
  expect(plans["9"]).toBe('"9"');
  expect(plans["10"]).not.toContain('"10"');
});

test("OpenCode's panel above an unfinished turn is an error, a person's message is not", () => {
  const error = ["  ┃", "  ┃  Incorrect API key provided", "  ┃", ""];
  expect(find([...USER, ...error, TURN, "", ...COMPOSER, IDLE_HINTS])).toMatchObject({
    status: "error",
  });
  expect(find([...USER, TURN, "", ...COMPOSER, IDLE_HINTS])).toMatchObject({ status: "idle" });
  for (const end of ["3.3s", "interrupted"])
    expect(
      find([...USER, ...error, `${TURN} · ${end}`, "", ...COMPOSER, IDLE_HINTS]),
    ).toMatchObject({
      status: "idle",
    });
});

test.each(["[y] Approve   [n] Deny", "< Yes >   < No >"])(
  "OpenCode's answer above the input box that ends with %s is no dialog",
  (hint) => {
    const answer = [...USER, "     The keys are shown:", `     ${hint}`, "", TURN, "", ...COMPOSER];
    expect(find([...answer, IDLE_HINTS])).toMatchObject({ status: "idle", prompt: null });
  },
);

test("OpenCode is less certainly idle right behind a person's message, when a turn begins", () => {
  const idle = (above: readonly string[]) => find([...above, ...COMPOSER, IDLE_HINTS]);
  expect(idle(USER)).toMatchObject({ rule: "agent_d.idle", idleIsCertain: false });
  expect(idle([...USER, `${TURN} · 2s`, ""])).toMatchObject({ idleIsCertain: true });
  expect(idle([])).toMatchObject({ rule: "agent_d.idle", idleIsCertain: true });
});
