import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { blankOut } from "../../src/cases/cases.ts";
import { aboutOf } from "../../src/detect/about.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import {
  composeProblem,
  drawnSize,
  isHeic,
  isImage,
  joinLines,
  needsDrawing,
} from "../../web/model/compose.ts";
import { messageOf, parseDraft } from "../../web/model/drafts.ts";
import { aboutLines, evidenceAsks, excerptOf, tintOf, topicOf } from "../../web/model/excerpt.ts";
import { cleanInput, visiblePieces } from "../../web/model/text.ts";
import { lastLine } from "../../web/model/work.ts";
import { withOverride } from "../../web/state/server/settings.ts";
import { blankedText, wordsOf } from "../../web/views/explain/wrong.tsx";
import { pane } from "../support/pane.ts";
import { findIn, inputOf, readScreens } from "../support/screens.ts";
import { forAll } from "../support/laws.ts";

describe("text from outside", () => {
  test("has its direction marks as pieces of their own", () => {
    expect(visiblePieces("rm \u202egpj.exe")).toEqual([
      { text: "rm " },
      { mark: "RLO" },
      { text: "gpj.exe" },
    ]);
  });

  test("keeps every other character", () => {
    forAll([fc.string({ unit: "binary" })], (text) => {
      const pieces = visiblePieces(text);
      const kept = pieces.map((piece) => ("text" in piece ? piece.text : "")).join("");
      const hidden = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
      expect(kept).toBe(text.replace(hidden, ""));
    });
  });

  test("keeps LF and tabs, and loses other control characters", () => {
    expect(cleanInput("a\r\nb\rc\td\u0007\u001b[31me\u009b")).toEqual({
      text: "a\nb\nc\td[31me",
      removed: 3,
    });
  });
});

describe("the excerpt of a pane", () => {
  const question = "Which database should the service use?";
  const numbers = Array.from({ length: 20 }, (_, i) => `${i}`);
  test.each<[string, Partial<PaneState>, string[]]>([
    [
      "evidence whole, without blank lines around it",
      { evidence: ["", "$ rm -rf build", "", ...numbers, ""] },
      ["$ rm -rf build", "", ...numbers],
    ],
    [
      "else at most six captured lines directly above the question",
      { question: "Go on?", lines: [...numbers.slice(0, 8), "", "Go on?", "1. Yes"] },
      numbers.slice(2, 8),
    ],
    [
      "no boxes, rules and rows between them and the question",
      {
        question,
        lines: [
          ...["● I need a decision.", "╭──────────────────────╮", "│ Answer Questions     │"],
          ...["│                      │", "│ ? Which database should the │"],
          ...["│   service use?       │", "│ ❯ SQLite             │"],
        ],
      },
      ["● I need a decision.", "", "Answer Questions"],
    ],
    [
      "nothing, where only a box is above",
      { question, lines: ["", "", "  ┃", `  ┃  ${question}`] },
      [],
    ],
    [
      "what is above a question without the page that the server puts before it",
      {
        question: `Question 1/2: ${question}`,
        lines: ["Set up", "☐ Database  ☐ Name", question, "1. SQLite", "esc dismiss"],
      },
      ["Set up", "☐ Database  ☐ Name"],
    ],
    [
      "the last lines of what has failed, without what is only drawn",
      { status: "error", preview: ["Overloaded.", "▔▔▔▔", "┃", "❯ again", "╹▀▀▀▀", "? for help"] },
      ["Overloaded.", "❯ again", "? for help"],
    ],
  ])("has %s", (_, members, lines) => {
    expect(excerptOf(pane({ question: null, ...members }))).toEqual(lines);
  });

  test("has as its last line the evidence of an error or an agent, else the newest line", () => {
    const preview = ["Done.", "───", "? for help"];
    expect(lastLine(pane({ status: "idle", preview }))).toBe("? for help");
    const idle = {
      status: "idle",
      preview,
      agent: { id: "agent_a", label: "Claude Code" },
    } as const;
    expect(lastLine(pane({ ...idle, evidence: ["All is done."] }))).toBe("All is done.");
    expect(lastLine(pane({ ...idle, evidence: [] }))).toBe("");
    const failed = (evidence: string[]) => lastLine(pane({ status: "error", preview, evidence }));
    expect(failed(["  ⎿ Overloaded.", "    Try again."])).toBe("⎿ Overloaded.");
    const frame = ['  File "a.py", line 1', "    f(1)"];
    const value = "ValueError: no number";
    expect(failed(["Traceback (most recent call last):", ...frame, value, "$"])).toBe(value);
    expect(failed(["Error:", "  no such file"])).toBe("Error:");
  });

  test("takes a single tab as the topic of a question, and a bar of tabs or a long line as evidence", () => {
    const said = ["● I need a decision.", ""];
    expect(topicOf([...said, " ☐ Database "])).toEqual({
      topic: "Database",
      evidence: ["● I need a decision."],
    });
    expect(topicOf(["□ Database"])).toEqual({ topic: "Database", evidence: [] });
    for (const line of ["Question 2 of 3 · Pagination", "  Question 1/1 (1 unanswered)"])
      expect(topicOf([...said, "", line])).toEqual({ topic: null, evidence: said.slice(0, 1) });
    for (const line of ["☐ Database  ☐ Name", `☐ ${"rm -rf / ".repeat(5)}`, "Database"])
      expect(topicOf([...said, line])).toEqual({ topic: null, evidence: [...said, line] });
  });

  test.each([
    [" 42 +    s.expires = 1;", "add"],
    ["│ 42 -    s.expires = 1;   │", "del"],
    ["+ const a = 1;", "add"],
    ["--- a/file", null],
    ["- a list item", "del"],
    ["-rw-r--r-- 1 dev dev 42 a.txt", null],
    ["-rwsr-xr-x 1 root root 42 sudo", null],
    ["-raw text", "del"],
    ["12 plus 30 + 1", null],
  ])("has the line %j with the tint %s", (line, tint) => {
    expect<string | null>(tintOf(line)).toBe(tint);
  });
});

const guarded = { capabilities: { ...pane().capabilities, input: "guarded_v1" as const } };
test.each([
  ["several lines to a shell", { kind: "shell" }, "a\nb", { kind: "shell_lines", isFinal: false }],
  ["one line to a shell", { kind: "shell" }, "a\n", null],
  ["several lines to an agent", { kind: "agent_a" }, "a\nb", null],
  ["several lines to a guarded pane", guarded, "a\nb", { kind: "one_line", isFinal: true }],
  ["a long text to one", guarded, "x".repeat(8001), { kind: "too_long", isFinal: true }],
  ["the longest text to one", guarded, "x".repeat(8000), null],
] as const)("the problem with sending %s", (_, members, words, problem) => {
  expect(composeProblem(pane(members), words)).toEqual(problem);
});

test("copied lines are joined with one blank between", () =>
  expect(joinLines("a \n\n  b\nc")).toBe("a b c"));

test("renaming keeps the other members of an override, and an override without members is removed", () => {
  const star = { target: "a:1.1", name: "", kind: null, star: true };
  expect(withOverride([star], "a:1.1", { name: "api" })).toEqual([{ ...star, name: "api" }]);
  const named = { target: "b:1.1", name: "old", kind: null, star: false };
  expect(withOverride([star, named], "b:1.1", { name: "" })).toEqual([star]);
  expect(withOverride([], "c:1.1", { name: "new" })).toEqual([
    { target: "c:1.1", name: "new", kind: null, star: false },
  ]);
});

test.each([
  ["Do you want to proceed?", true],
  ["Would you like to run the following command?", true],
  ["Do you want to make this edit to greet.js?", true],
  ["Allow execution of [Shell]?", true],
  ["Apply this change?", true],
  ["Permission required", true],
  ["Which database should the service use?", false],
  ["Claude has written up a plan and is ready to execute. Would you like to proceed?", false],
  ["Allow execution of: 'npm, rm'?", false],
  ["Do you want to use this API key?", false],
])("whether the evidence of %s alone says what is asked: %p", (question, isOwnSentence) => {
  const asks = (evidence: string[]) =>
    evidenceAsks(pane({ status: "needs_input", question, evidence }));
  expect([asks(["$ npm test"]), asks([])]).toEqual([isOwnSentence, false]);
});

test.each([
  ["image/png", "a.heic", false, true, [false, true]],
  ["image/gif", "a.gif", false, true, [false, false]],
  ["image/bmp", "a.bmp", false, true, [true, true]],
  ["image/heic", "a", true, true, [true, true]],
  // A browser that does not know HEIC gives no type.
  ["", "IMG_1.HEIC", true, true, [true, true]],
  ["text/plain", "a.png", false, false, [true, true]],
] as const)("an image of type %j called %s", (type, name, heic, image, isDrawnAnew) => {
  const file = { type, name };
  expect([isHeic(file), isImage(file)]).toEqual([heic, image]);
  // With low data every image but an animation is drawn again.
  expect([false, true].map((lowData) => needsDrawing(file, lowData))).toEqual([...isDrawnAnew]);
});

test("a drawn image is cut to its longer side, keeps its shape, and is never enlarged", () => {
  const cutTo = (width: number, height: number) =>
    Object.values(drawnSize(width, height, 1600)).join("x");
  expect([cutTo(4000, 3000), cutTo(300, 900), cutTo(9000, 1)]).toEqual([
    ...["1600x1200", "300x900", "1600x1"],
  ]);
});

test("the paths of images follow the text with one blank between", () => {
  const images = ["'/a b.png'", "/c.png"].map((text) => ({ name: "", text, expiresAt: 9e9 }));
  const sent = (text: string) => messageOf({ text, images, remarks: [] });
  expect([sent("look at"), sent("look at\n"), sent("")]).toEqual([
    ...["look at '/a b.png' /c.png", "look at\n'/a b.png' /c.png", "'/a b.png' /c.png"],
  ]);
  expect(messageOf({ text: "look", images: [], remarks: [] })).toBe("look");
});

test("a stored draft keeps its images until the server deletes them", () => {
  const image = (expiresAt: unknown) => ({ name: "a.png", text: "/a.png", expiresAt });
  const stored = JSON.stringify({
    text: "look",
    choice: null,
    images: [image(2000), image(900), image("soon"), null],
    name: "api",
    savedAt: 999_000,
  });
  expect(parseDraft(stored, 1_000_000)?.images).toEqual([
    { name: "a.png", text: "/a.png", expiresAt: 2000 },
  ]);
  expect(parseDraft('{"text":"old","savedAt":999000}', 1_000_000)?.images).toEqual([]);
});

const text = fc.string({
  unit: fc.constantFrom("a", "b", "x", " ", "漢", "é", "🙂", "/", ".", "│"),
});

test("for any words: the page blanks out what the server blanks out", () => {
  forAll([text, fc.array(text, { maxLength: 3 })], (line, blanked) => {
    // The server fills wide characters with wide ones, for the columns' sake.
    expect(blankedText(line, blanked)).toBe(blankOut(line, blanked).replaceAll("ｘ", "x"));
  });
});

test("the words to blank out are the lines of the field, trimmed, each once", () => {
  expect(wordsOf(" acme \n\n/home/dev/a b\nacme")).toEqual(["acme", "/home/dev/a b"]);
});

/** What agents write around the name of a file. */
const FILE_LABELS = ["file", "→", "?", "? WriteFile Writing to", "file Edit"];

describe("the subject of a prompt", () => {
  const command = { kind: "command", file: null, added: null, removed: null } as const;
  const of = (text: string, evidence: readonly string[]) =>
    aboutLines(pane({ about: { ...command, text } }), evidence);

  test("is a command without its label, with its purpose below", () => {
    expect(of("npm test", ["Bash command", "", "  npm test", "  Run the tests"])).toMatchObject({
      lines: ["npm test"],
      rest: ["  Run the tests"],
    });
  });

  test("is a wrapped command whole", () => {
    const lines = [
      "Reason: the schema",
      "",
      "  $ pnpm prisma migrate",
      "    deploy",
      "",
      "cwd: ~/api",
    ];
    expect(of("pnpm prisma migrate", lines)).toMatchObject({
      lines: ["pnpm prisma migrate", "deploy"],
      rest: ["Reason: the schema", "", "", "cwd: ~/api"],
    });
  });

  test("is a command beside sentences of Claude Code, which stay below it", () => {
    const tip = [
      ' Tip: auto mode handles these prompts for you — choose "switch to',
      ' auto mode" below',
    ];
    const beside = [...tip, " Run the tests", " This command requires approval"];
    expect(of("npm test", [" Bash command", ...beside.toSpliced(3, 0, " npm test")])).toMatchObject(
      {
        lines: ["npm test"],
        rest: beside,
      },
    );
    expect(of("rm -rf a", [...tip, " Clean up", " rm -rf a", " b"])).toBeNull();
  });

  test("is absent where the end of the command is unknown", () => {
    expect(of("rm -rf a", ["Bash command", "", "  rm -rf a", "  b", "  Clean up"])).toBeNull();
    expect(of("npm test", ["something else"])).toBeNull();
  });

  test("is a file with its counts of added and removed lines", () => {
    const about = { ...command, kind: "file", text: "Edit src/a.ts", file: "src/a.ts" } as const;
    const lines = ["Edit file", "src/a.ts", "", " 1 - old", " 1 + new", " 2 + more"];
    expect(aboutLines(pane({ about }), lines)).toEqual({
      ...{ kind: "file", lines: ["Edit src/a.ts"], added: 2, removed: 1 },
      rest: [" 1 - old", " 1 + new", " 2 + more"],
    });
    const told = ["? Edit  src/a.ts: old => new", "1 - old", "1 + new"];
    expect(aboutLines(pane({ about }), told)).toEqual({
      ...{ kind: "file", lines: ["Edit src/a.ts"], added: 1, removed: 1, rest: told },
    });
    expect(aboutLines(pane({ about }), ["src/a.tsx: old => new", "1 - old"])).toBeNull();
  });

  test("leaves out no word of any recorded prompt", () => {
    const words = (lines: readonly string[]) =>
      lines
        .join(" ")
        .split(/[\s│$]+/u)
        .filter(Boolean);
    let seen = 0;
    for (const screen of readScreens()) {
      const { prompt } = findIn(inputOf(screen));
      if (!prompt) continue;
      const { question } = prompt;
      const evidence = [...prompt.evidence];
      const about = aboutOf({ status: "needs_input", question, evidence, agent: null });
      const shown = aboutLines(pane({ about, question, evidence }), evidence);
      if (shown === null) continue;
      seen += 1;
      const left = words([...shown.lines, ...shown.rest]);
      // A path that wraps on the screen is one word here.
      const isPart = (word: string) => word.includes("/") && left.join(" ").includes(word);
      const lost = words(evidence).filter((word) => !left.includes(word) && !isPart(word));
      const uncounted = lost.join(" ").replace(/^(Added|Edited|Deleted)( \(\+\d+( -\d+\))?)?$/, "");
      // The second word of the label may stand in another line too.
      expect(["", "Bash", "Bash command", ...FILE_LABELS], screen.name).toContain(uncounted);
    }
    expect(seen).toBeGreaterThan(30);
  });
});
