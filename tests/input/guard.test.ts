import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseScreen } from "../../src/detect/ansi.ts";
import type { Prompt } from "../../src/detect/finding.ts";
import { guardOf, isEcho } from "../../src/input/guard.ts";
import type { SendGuard } from "../../src/terminal/provider.ts";
import { sendSteps } from "../../src/terminal/mux/send.ts";
import { runs } from "../support/thorough.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { dialog } from "./simulated.ts";
import { option, prompt } from "../support/detect-input.ts";

const PANE = { identity: "1:2/%3/42", command: "claude", width: 40, height: 12, cursor: null };
const screenOf = (lines: readonly string[]) => ({
  lines: lines.map((text) => ({ text, runs: [] })),
});
const textsOf = (lines: readonly string[], prompt: Prompt | null, pane = PANE) =>
  guardOf({ pane, prompt, screen: screenOf(lines) }).contains;

describe("the texts that a guard compares", () => {
  test("the texts are evidence, question and options, the focused option with its cursor", () => {
    const options = [option("1", "Yes", { selected: true }), option("2", "No")];
    const { lines, prompt } = dialog("Run it?", options, { evidence: ["rm -rf build"] });
    const guard = guardOf({
      pane: PANE,
      prompt,
      screen: screenOf(["earlier", ...lines, "footer"]),
    });
    expect(guard.identity).toBe(PANE.identity);
    // `questionLine` counts in the whole capture.
    const moved = { ...prompt, questionLine: prompt.questionLine + 1 };
    expect(textsOf(["earlier", ...lines, "footer"], moved)).toEqual([
      "rm -rf build",
      "Run it?",
      "❯ 1. Yes",
      "2. No",
    ]);
  });

  test("the texts have the evidence nearest to the question, not an older copy of it", () => {
    const { prompt } = dialog("Apply?", [option("1", "Yes")], { evidence: ["+ new line"] });
    const lines = [
      ...["+ new line of before", "Apply?", "  + new line of now", "  - new line of now"],
      ...["Apply?", "  1. Yes"],
    ];
    expect(textsOf(lines, { ...prompt, questionLine: 4 })[0]).toBe("+ new line of now");
  });

  test("the texts have the evidence above the question, also if the question has the same words", () => {
    const { prompt } = dialog("Apply?", [option("1", "Yes")], { evidence: ["Apply"] });
    const lines = ["Apply the patch", "Apply?", "  1. Yes"];
    expect(textsOf(lines, { ...prompt, questionLine: 1 })[0]).toBe("Apply the patch");
  });

  test("the texts have the row of each option, also if an earlier one begins with the same words", () => {
    const options = [
      option("1", "Yes, and don't ask again here"),
      option("2", "Yes, and don't ask again at all", { selected: true }),
      option("3", "Yes"),
    ];
    const { lines, prompt } = dialog("Run it?", options);
    expect(textsOf(lines, prompt)).toEqual(lines.map((line) => line.trim()));
    const row = [lines[0] ?? "", "Allow  Always allow"];
    const words = dialog("Run it?", [option("1", "Allow"), option("2", "Always allow")]);
    expect(textsOf(row, words.prompt)).toEqual(["Run it?", "Allow", "Always allow"]);
  });

  test("the texts have three letters or more", () => {
    expect(textsOf(["abc  ab  abcd"], null)).toEqual(["abc", "abcd"]);
  });

  test("the texts are rows in view, because rows in the history are not on the screen", () => {
    const evidence = Array.from(
      { length: 20 },
      (_, index) => `evidence row ${String(index).padStart(2, "0")}`,
    );
    const { lines, prompt } = dialog("Run it?", [option("1", "Yes")], { evidence });
    const texts = textsOf(lines, prompt);
    expect(texts).not.toContain("evidence row 09");
    expect(texts[0]).toBe("evidence row 10");
    expect(texts.slice(-2)).toEqual(["Run it?", "1. Yes"]);
  });

  test("blank rows below the dialog count as rows in view, so rows above it may be history", () => {
    const { lines, prompt } = dialog("Run it?", [option("1", "Yes", { selected: true })]);
    const drawn = ["Run it?", "  1. Yes", ...lines];
    const blankRows = PANE.height - lines.length;
    const texts = guardOf({
      pane: PANE,
      prompt,
      screen: { ...screenOf(drawn), blankRows },
    }).contains;
    expect(texts).toEqual(["❯ 1. Yes"]);
    const cleared = { ...screenOf(["$ make", "done"]), blankRows: PANE.height };
    expect(guardOf({ pane: PANE, prompt: null, screen: cleared }).contains).toEqual([]);
  });

  test("the texts have fewer bytes than a command takes, whatever a cell holds", () => {
    const heavy = (start: string) => `${start} ${`e${"\u0301".repeat(15)}`.repeat(60)}`;
    const evidence = Array.from({ length: 40 }, (_, index) => heavy(`row ${index}`));
    const { lines, prompt } = dialog("Run it?", [option("1", "Yes")], { evidence });
    const texts = textsOf(lines, prompt, { ...PANE, width: 200, height: 60 });
    expect(Buffer.byteLength(texts.join(""))).toBeLessThan(12_000);
    expect(texts.slice(-2)).toEqual(["Run it?", "1. Yes"]);
    expect(texts[0]).toStartWith("row 18 e");
  });

  test("the texts of too many rows are those of the last rows, with question and options", () => {
    const evidence = Array.from({ length: 40 }, (_, index) => `evidence row ${index + 10}`);
    const { lines, prompt } = dialog("Run it?", [option("1", "Yes")], { evidence });
    const texts = textsOf(lines, prompt, { ...PANE, height: 60 });
    expect(texts.length).toBeLessThan(evidence.length);
    expect(texts.slice(-3)).toEqual(["evidence row 49", "Run it?", "1. Yes"]);
  });

  test("the texts are not longer than a row, also with wide characters", () => {
    const wide = "漢字".repeat(40);
    const { lines, prompt } = dialog(wide, [option("1", "y".repeat(300))]);
    for (const text of textsOf(lines, prompt))
      expect(Bun.stringWidth(text)).toBeLessThan(PANE.width);
  });

  test("a row is compared up to its last cell, or for a hundred cells of four bytes", () => {
    expect(textsOf(["y".repeat(60)], null)).toEqual(["y".repeat(PANE.width - 1)]);
    const wide = { ...PANE, width: 200 };
    expect(textsOf(["𝐀".repeat(101)], null, wide)).toEqual(["𝐀".repeat(100)]);
  });

  test("a text takes as many rows of the screen as it fills", () => {
    const seen = (cells: number) =>
      textsOf(["first row", "y".repeat(cells)], null, { ...PANE, height: 2 }).length;
    expect([seen(40), seen(41)]).toEqual([2, 1]);
  });

  test("frames and runs of blanks split a row into texts", () => {
    const { prompt } = dialog("Which one?", [option("1", "First"), option("2", "Second")]);
    const lines = ["│ Which one?      right │", "│ ❯ 1. First   text of it │", "│   2. Second │"];
    expect(textsOf(lines, { ...prompt, questionLine: 0 })).toEqual([
      "Which one?",
      "right",
      "❯ 1. First",
      "text of it",
      "2. Second",
    ]);
  });

  test("the texts without a prompt are the last rows, and none of an empty screen", () => {
    expect(textsOf(["output", "", "> ask me", "? for shortcuts", ""], null)).toEqual([
      "> ask me",
      "? for shortcuts",
    ]);
    expect(textsOf([], null)).toEqual([]);
  });
});

test("a question is the echo of a typed text if it has all of its words and no parser knows it", () => {
  const asked = prompt("make  Continue?", { recognised: false });
  const texts = ["make Continue?", "remake Continue?", "xmake", " ", "make\n"];
  expect(texts.map((text) => isEcho(asked, text))).toEqual([true, false, false, false, true]);
  expect(isEcho({ ...asked, recognised: true }, "make")).toBe(false);
});

describe("a guard on a real screen", () => {
  let tmux: PrivateTmux;
  beforeAll(async () => {
    tmux = await PrivateTmux.start({ width: 50, height: 20 });
  });
  afterAll(() => tmux.stop());

  test("a guard passes for a dialog that a program clears and draws again", async () => {
    const draw = (focus: number) =>
      [
        "Run it?",
        "",
        ...["Yes", "No"].map((label, i) => `${i === focus ? ">" : " "} ${i}. ${label}`),
      ]
        .map((line) => `${line}\\n`)
        .join("");
    const id = await tmux.open([
      `printf '\\033[2J\\033[H${draw(0)}'; printf '\\033[2J\\033[H${draw(1)}'; read -r x; echo taken; read -r x`,
    ]);
    await until(async () => (await tmux.screen(id)).includes("> 1. No"));
    const identity = await tmux.format(id, "#{pid}:#{start_time}/#{pane_id}/#{pane_pid}");
    const text = await tmux.command("capture-pane", "-p", "-e", "-J", "-S", "-200", "-t", id);
    const screen = parseScreen(text);
    expect(screen.lines.filter((line) => line.text === "Run it?")).toHaveLength(2);
    const { prompt } = dialog("Run it?", [option("0", "Yes"), option("1", "No")]);
    const pane = {
      identity,
      command: await tmux.format(id, "#{pane_current_command}"),
      ...{ width: 50, height: 20, cursor: null },
    };
    const guard = guardOf({ pane, prompt: { ...prompt, questionLine: 0 }, screen });
    expect(await sendSteps(tmux.feed, id, [{ do: "key", key: "Enter" }], guard)).toBe("sent");
    await until(async () => (await tmux.screen(id)).includes("taken"));
  });

  test.each([
    ["of other words", 'printf "Delete item $at? (y/n) "'],
    ["of the same words", 'printf "This is item $at?\n\nDelete it? (y/n) "'],
  ])(
    "the guard of a question on one line is refused once the next one %s stands below it",
    async (_, ask) => {
      // The screen is full from the sixth question on.
      const asks = `seq -f 'row %g' 14; for at in $(seq 10 60); do ${ask}; read -r x; done`;
      const id = await tmux.open(["bash", "-c", asks]);
      const identity = await tmux.format(id, "#{pid}:#{start_time}/#{pane_id}/#{pane_pid}");
      const see = async (at: number) => {
        await until(async () => (await tmux.screen(id)).includes(`item ${at}?`));
        const text = await tmux.command("capture-pane", "-p", "-e", "-J", "-S", "-200", "-t", id);
        const { lines } = parseScreen(text);
        const screen = { lines, blankRows: Math.max(0, 20 - lines.length) };
        const questionLine = lines.length - 1;
        const row = Number(await tmux.format(id, "#{cursor_y}"));
        const pane = { identity, command: "bash", width: 50, height: 20 };
        const asked = prompt(lines[questionLine]?.text ?? "", {
          ...{ recognised: false, questionLine, evidence: [`This is item ${at}?`] },
        });
        const cursor = { row, column: 24, visible: true };
        return guardOf({ pane: { ...pane, cursor }, prompt: asked, screen });
      };
      const outcome = (text: string, guard: SendGuard) =>
        sendSteps(tmux.feed, id, [{ do: "text", text }], guard);
      for (let at = 10; at < 20; at++) {
        const guard = await see(at);
        expect(await outcome("n\n", guard)).toBe("sent");
        await see(at + 1);
        expect(await outcome("y\n", guard)).toBe("refused");
      }
    },
  );

  test("a guard from any screen passes there, and is refused once a row of it has changed", async () => {
    const word = fc.string({
      unit: fc.constantFrom(..."abc XYZ 019 #{}[],:;?*\\|$()'\"%~&<>= é漢字😀\u0301│─"),
      maxLength: 90,
    });
    const screens = fc.sample(fc.array(word, { minLength: 1, maxLength: 8 }), {
      numRuns: runs(60),
      seed: 3,
    });
    const file = `${tmux.folder}/screen`;
    const id = await tmux.open([
      `while read -r line; do clear; cat ${file}; echo "shown $line"; done`,
    ]);
    const identity = await tmux.format(id, "#{pid}:#{start_time}/#{pane_id}/#{pane_pid}");
    const draw = async (lines: readonly string[], name: string) => {
      await Bun.write(file, lines.map((line) => `${line}\n`).join(""));
      await sendSteps(tmux.feed, id, [{ do: "text", text: `${name}\n` }], null);
      await until(async () => (await tmux.screen(id)).includes(`shown ${name}`));
      const text = await tmux.command("capture-pane", "-p", "-e", "-J", "-t", id);
      return parseScreen(text);
    };
    const outcome = (contains: readonly string[]) =>
      sendSteps(tmux.feed, id, [{ do: "key", key: "C-u" }], { identity, contains });

    for (const [index, rows] of screens.entries()) {
      const options = rows.map((row, number) => option(String(number), row));
      const { prompt } = dialog(`Question ${index}`, options);
      const lines = [`Question ${index}`, ...rows.map((row, number) => `${number}. ${row}`)];
      const screen = await draw(lines, `of ${index}`);
      const questionLine = screen.lines.findIndex(({ text }) => text === `Question ${index}`);
      const pane = {
        identity,
        command: await tmux.format(id, "#{pane_current_command}"),
        ...{ width: 50, height: 20, cursor: null },
      };
      const guard = guardOf({ pane, prompt: { ...prompt, questionLine }, screen });
      expect(guard.contains).toContain(`Question ${index}`);
      expect({ guard, outcome: await outcome(guard.contains) }).toEqual({ guard, outcome: "sent" });
      await draw([`Question ${index}b`, ...lines.slice(1)], `changed ${index}`);
      const exact = guard.contains.filter((text) => text !== `Question ${index}`);
      expect(await outcome([...exact, `Question ${index} `])).toBe("refused");
    }
  });
});
