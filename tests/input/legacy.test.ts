import { beforeEach, describe, expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import type { AnswerStep, Prompt, TerminalUse } from "../../src/detect/finding.ts";
import { fingerprints } from "../../src/detect/prompt.ts";
import { AppError } from "../../src/errors.ts";
import type {
  BroadcastRequest,
  ExpectedPrompt,
  KeyRequest,
  SelectRequest,
  TextRequest,
} from "../../src/protocol/input.ts";
import { option, prompt } from "../support/detect-input.ts";
import { pane } from "../support/pane.ts";
import { refusalOf } from "../support/refusal.ts";
import { AGENT, CLIENT, draft, EMPTY, working } from "./agent-pane.ts";
import { dialog, SimulatedPanes, type SimulatedScreen } from "./simulated.ts";

let panes: SimulatedPanes;
beforeEach(() => {
  panes = new SimulatedPanes();
});

const IDLE = { lines: ["> ask for something"], prompt: null };
/** Longer than a program may take to draw what follows an answer. */
const LONG_MS = 5000;

const ASK = dialog("Run rm build?", [
  option("1", "Yes", { selected: true }),
  option("2", "No, tell it what to do", { freeform: true }),
]);
const OTHER = dialog("Run rm src?", ASK.prompt.options.slice());
const expectedOf = (prompt: Prompt | null) => fingerprints(prompt);
/** The guards of a client that has seen the dialog, and of one that has seen none. */
const SEEN = { expected: expectedOf(ASK.prompt) };
const NONE = { expected: expectedOf(null) };

const key = (name: string, more: Partial<KeyRequest> = {}) =>
  panes.legacy.key({ id: "%1", key: name, ...more }, CLIENT);
const type = (text: string, more: Partial<TextRequest> = {}) =>
  panes.legacy.text({ id: "%1", text, enter: true, ...more }, CLIENT);
const choose = (option: string, more: Partial<SelectRequest> = {}) =>
  panes.legacy.select({ id: "%1", key: option, ...more }, CLIENT);
const cast = (ids: string[], more: Partial<BroadcastRequest> = {}) =>
  panes.legacy.broadcast({ ids, text: "go", enter: true, skip_waiting: false, ...more }, CLIENT);

/** @param expected the reason, or more members of the refusal */
async function refuses(work: Promise<unknown>, expected: string | object): Promise<void> {
  const error = await refusalOf(work);
  const detail = error.detail as {
    reason: string;
    current?: { id: string; question: string | null };
  };
  const refused = { kind: error.kind, reason: detail.reason, question: detail.current?.question };
  expect(refused).toMatchObject(typeof expected === "string" ? { reason: expected } : expected);
}

const reasonOf = (error: unknown) =>
  error instanceof AppError ? (error.detail as { reason: string }).reason : String(error);

describe("the pane id of an action", () => {
  test("a live id and a live target reach the same pane", async () => {
    panes.show("%7", IDLE);
    await key("Up", { id: "%7" });
    await key("Down", { id: "main:7.0" });
    expect(panes.sent).toEqual([
      { id: "%7", input: "<Up>", guarded: false },
      { id: "%7", input: "<Down>", guarded: false },
    ]);
    expect(panes.acted).toEqual(["%7", "%7"]);
  });

  test("an empty text without Enter is refused if the multiplexer has lost the pane", async () => {
    panes.beforeSend = (id) => {
      throw new AppError("invalid", "gone", { reason: `can't find pane: ${id}` });
    };
    const reply = await cast(["%9"], { text: "", enter: false });
    expect(reply).toEqual({ ok: true, sent: 0, errors: ["%9: can't find pane: %9"] });
    const text = type("", { id: "%9", enter: false });
    await refuses(text, { kind: "invalid" });
  });

  test("an unlisted id of the multiplexer's form is sent to the multiplexer", async () => {
    await key("Up", { id: "%99" });
    expect(panes.inputs()).toEqual(["<Up>"]);
  });

  test("a text for an option of an unlisted pane follows its dialog, and is refused without the pane", async () => {
    const answerWithText: AnswerStep[] = [{ do: "type", text: "1" }, { do: "text" }];
    const asked = dialog("Why?", [option("1", "Other", { freeform: true, answerWithText })]);
    panes.show("%99", asked);
    panes.program("%99", (input) => ({ ...asked, lines: [...asked.lines, input] }));
    panes.isListed = () => false;
    await choose("1", { id: "%99", text: "because" });
    expect(panes.inputs()).toEqual(["1because"]);
    for (const text of [undefined, "x"])
      await refuses(choose("1", { id: "%98", text }), "can't find pane: %98");
  });

  test("a select on an unreadable pane is refused with the multiplexer's message, cut and logged once", async () => {
    panes.show("%7", IDLE);
    panes.beforeRead = () => {
      throw new Error(`\x1b[31mcannot capture\n${"🙂".repeat(500)}`);
    };
    const { kind, detail } = await refusalOf(choose("1", { id: "%7" }));
    // A strict JSON reader refuses half of a surrogate pair.
    const reason = expect.stringMatching(/^cannot read pane %7: cannot capture \u{1F642}{1,300}$/u);
    expect([kind, detail]).toEqual(["invalid", { reason, code: "pane_unreadable" }]);
    expect(panes.log.join("").match(/cannot capture/g)).toHaveLength(1);
    expect(panes.sent).toEqual([]);
  });

  test("an action on a listed pane is refused if another program runs there now", async () => {
    panes.show("%7", IDLE);
    panes.pid += 1;
    const reason = "another program runs in pane %7 now";
    // Without a prompt the fingerprints cannot tell the two programs apart.
    const expected = expectedOf(null);
    for (const act of [
      () => key("Up", { id: "%7" }),
      () => key("Up", { id: "%7", expected }),
      () => type("x", { id: "main:7.0" }),
      () => type("x", { id: "main:7.0", expected }),
      () => choose("1", { id: "%7" }),
      () => choose("1", { id: "%7", expected }),
    ])
      await refuses(act(), { kind: "invalid", reason });
    expect(await cast(["%7"], { text: "x", skip_waiting: true })).toEqual({
      ok: true,
      sent: 0,
      errors: [`%7: ${reason}`],
    });
    expect(panes.sent).toEqual([]);
    expect(panes.acted).toEqual([]);
  });

  test("Enter is not sent to a program that took the pane after the text", async () => {
    panes.show("%7", IDLE);
    panes.onPause = () => void (panes.pid += 1);
    const expected = expectedOf(null);
    const act = type("x", { id: "%7", expected });
    await refuses(act, "another program runs in pane %7 now");
    expect(panes.inputs()).toEqual(["x"]);
  });

  test("an id of any other form is refused as unknown_pane", async () => {
    panes.show("%7", IDLE);
    for (const id of ["", "main:8.0", "cfg:main:7.0", "h:abc", "%7;", "7"])
      for (const act of [
        () => key("Up", { id }),
        () => type("x", { id, enter: false }),
        () => choose("1", { id }),
      ])
        await refuses(act(), { kind: "not_found", reason: "unknown_pane" });
    expect(panes.sent).toEqual([]);
  });

  test("a target like a placeholder's is found, and an unactionable placeholder is refused", async () => {
    panes.listedAs = () => ({ target: "cfg:7.0" });
    panes.show("%7", IDLE);
    await key("Up", { id: "cfg:7.0" });
    expect(panes.sent).toMatchObject([{ id: "%7" }]);
    const placeholder = pane({ id: "cfg:7.0", target: "7.0", actionable: false });
    panes.published = [panes.state("%7"), placeholder];
    await refuses(key("Up", { id: "cfg:7.0" }), "unknown_pane");
    // It may be a placeholder here, so no machine named `cfg` is looked for.
    panes.listedAs = () => ({ target: "cfg:main:7.0" });
    await refuses(key("Up", { id: "cfg:main:7.0" }), "unknown_pane");
    expect(panes.sent).toHaveLength(1);
  });

  test("every action is refused for a provider with guarded input", async () => {
    panes.input = "guarded_v1";
    panes.show("%7", IDLE);
    const refused = { kind: "conflict", reason: "guarded_input_required" };
    for (const act of [
      () => key("Up", { id: "%7" }),
      // The refusal tells how the pane is answered, not what else is wrong.
      () => key("F1", { id: "%7" }),
      () => type("a\u001bb", { id: "%7", enter: false }),
      () => choose("\u001b", { id: "%7" }),
    ])
      await refuses(act(), refused);
    expect(await cast(["%7"], { text: "x" })).toEqual({
      ok: true,
      sent: 0,
      errors: ["%7: guarded_input_required"],
    });
  });
});

describe("the limits of a request", () => {
  test("a key outside the list is refused", async () => {
    for (const name of ["F1", "enter", "C-x", "", "Enter ; kill-server", "__proto__"])
      await refuses(key(name), { kind: "invalid", reason: `key not allowed: ${name}` });
  });

  test("a text with control characters or half characters, or over 64 KiB, is refused", async () => {
    const reasons: [string, string][] = [
      ["\x1b[201~rm", "text contains control characters"],
      ["line\rline", "text contains control characters"],
      ["\x7f", "text contains control characters"],
      ["\u009b31m", "text contains control characters"],
      ["\ud83d", "text is not well-formed Unicode"],
      ["é".repeat(32 * 1024 + 1), "text exceeds 64 KiB"],
    ];
    for (const [text, reason] of reasons) {
      await refuses(type(text, { enter: false }), {
        reason,
      });
      await refuses(cast(["%1"], { text }), { kind: "invalid", reason });
    }
    panes.show("%1", IDLE);
    const whole = "é".repeat(32 * 1024 - 1) + "\n\t";
    await type(whole, { enter: false });
    expect(panes.inputs()).toEqual([whole]);
  });
});

describe("key and text", () => {
  test("Enter follows a text as a key of its own, after 300 ms", async () => {
    panes.show("%1", IDLE);
    await type("go on");
    expect(panes.inputs()).toEqual(["go on", "<Enter>"]);
    expect(panes.pauses).toEqual([300]);
    await type("");
    expect(panes.inputs()).toEqual(["go on", "<Enter>", "<Enter>"]);
    expect(panes.pauses).toEqual([300]);
  });

  test("an action with the expected prompt is sent guarded", async () => {
    panes.show("%1", ASK);
    await key("Down", SEEN);
    expect(panes.sent).toEqual([{ id: "%1", input: "<Down>", guarded: true }]);
  });

  test("an action that expects another prompt is a conflict with the current state, and nothing is sent", async () => {
    panes.show("%1", OTHER);
    const expected = expectedOf(ASK.prompt);
    const conflict = {
      kind: "conflict" as const,
      reason: "prompt_changed",
      question: "Run rm src?",
    };
    await refuses(key("Up", { expected }), conflict);
    await refuses(type("y", { expected }), conflict);
    await refuses(choose("1", { expected }), conflict);
    expect(panes.sent).toEqual([]);
    expect(panes.acted).toEqual([]);
  });

  test("a text with Enter or a line break is refused unless the client names the focused option", async () => {
    const { selected: _, ...expected } = expectedOf(ASK.prompt);
    const other = { ...expected, selected: "2" };
    panes.show("%1", ASK);
    for (const text of ["", "y", "y\n"]) {
      await refuses(type(text, { expected }), "options_changed");
      await refuses(type(text, { expected: other }), "options_changed");
    }
    for (const wanted of [expected, other])
      await refuses(type("\n", { expected: wanted, enter: false }), "options_changed");
    expect(panes.inputs()).toEqual([]);
    await type("y", { expected, enter: false });
    panes.timeMs += LONG_MS;
    panes.program("%1", (input) => ({ ...ASK, lines: [...ASK.lines, input] }));
    await type("y", SEEN);
    expect(panes.inputs()).toEqual(["y", "y", "<Enter>"]);
  });

  test("an expected null means no prompt, and an absent member is not compared", async () => {
    panes.show("%1", ASK);
    const none = { prompt_fingerprint: null, options_fingerprint: null };
    await refuses(type("hi", { expected: none }), "prompt_changed");
    await key("Up", { expected: {} });
    expect(panes.inputs()).toEqual(["<Up>"]);
  });

  test("other options under the same question are refused as options_changed", async () => {
    panes.show("%1", dialog("Run rm build?", [option("1", "Yes, always"), option("2", "No")]));
    await refuses(key("Tab", SEEN), "options_changed");
  });

  const moved = dialog(
    "Run rm build?",
    ASK.prompt.options.map((o) => ({ ...o, selected: !o.selected })),
  );
  const enter = (expected: ExpectedPrompt) => key("Enter", { expected });

  test("Enter by the published guard is refused while the focus is on another option", async () => {
    panes.show("%1", ASK);
    const published = panes.state("%1").legacy_guard;
    if (!published) throw new Error("no guard");
    panes.show("%1", moved);
    // A published new focus does not mean that the person has seen it.
    panes.published = [panes.state("%1")];
    await refuses(enter(published), "options_changed");
    await key("Up", { expected: published });
    panes.show("%1", ASK);
    await enter(published);
    expect(panes.inputs()).toEqual(["<Up>", "<Enter>"]);
  });

  test("Enter on a menu is refused to a client that does not name the focused option", async () => {
    panes.show("%1", ASK);
    const { prompt_fingerprint, options_fingerprint } = expectedOf(ASK.prompt);
    const silent = [{ prompt_fingerprint, options_fingerprint }, { prompt_fingerprint }, {}];
    for (const expected of silent) await refuses(enter(expected), "options_changed");
    for (const selected of ["2", null]) await refuses(enter({ selected }), "options_changed");
    // An empty text with Enter is the same key.
    await refuses(type("", { expected: { prompt_fingerprint } }), "options_changed");
    panes.show("%1", dialog("Go on?", [option("1", "Yes", { selected: true })]));
    await refuses(enter({}), "options_changed");
    expect(panes.sent).toEqual([]);
    panes.show("%1", ASK);
    await enter({ selected: "1" });
    panes.timeMs += LONG_MS;
    await type("", SEEN);
    expect(panes.inputs()).toEqual(["<Enter>", "<Enter>"]);
  });

  test("Space on a menu is refused if the client names another focused option", async () => {
    panes.show("%1", moved);
    await refuses(key("Space", SEEN), "options_changed");
    const { prompt_fingerprint, options_fingerprint } = SEEN.expected;
    await key("Space", { expected: { prompt_fingerprint, options_fingerprint } });
    await key("Space", { expected: expectedOf(moved.prompt) });
    expect(panes.inputs()).toEqual(["<Space>", "<Space>"]);
  });

  test("Enter needs no focused option if there is no menu", async () => {
    panes.show("%1", IDLE);
    const { prompt_fingerprint, options_fingerprint } = expectedOf(null);
    await enter({ prompt_fingerprint, options_fingerprint });
    await enter(expectedOf(null));
    await refuses(enter({ selected: "1" }), "options_changed");
    expect(panes.inputs()).toEqual(["<Enter>", "<Enter>"]);
  });

  test("a key under an overlay is compared with the published prompt, and a text is refused", async () => {
    panes.show("%1", ASK);
    const underneath = { ...panes.state("%1"), lines: ["transcript"] };
    panes.show("%1", {
      lines: ["transcript"],
      prompt: null,
      keepsPrevious: true,
      state: underneath,
    });
    const expected = expectedOf(ASK.prompt);
    await key("Escape", { expected });
    expect(panes.sent).toEqual([{ id: "%1", input: "<Escape>", guarded: true }]);
    const work = type("q1", { enter: false, expected });
    await refuses(work, "prompt_changed");
    await refuses(key("Escape", NONE), "prompt_changed");
  });

  test("a prompt that changes between reading and send is refused, with the current question", async () => {
    panes.show("%1", ASK);
    panes.beforeSend = (id) => panes.show(id, OTHER);
    const work = key("Down", SEEN);
    await refuses(work, {
      reason: "prompt_changed",
      question: "Run rm src?",
    });
    expect(panes.sent).toEqual([]);
  });

  test("an action is retried twice if the screen only flickers", async () => {
    panes.show("%1", ASK);
    let sends = 0;
    panes.beforeSend = (id) => {
      if (++sends < 3) panes.show(id, { ...ASK, lines: [`redrawing ${sends}`] });
    };
    await key("Down", SEEN);
    expect(panes.inputs()).toEqual(["<Down>"]);
  });

  test("a text without a prompt is sent although a spinner changes every row at each reading", async () => {
    let frame = 0;
    panes.show("%1", { lines: ["frame 0 of the spinner"], prompt: null });
    panes.beforeSend = (id) =>
      panes.show(id, { lines: [`frame ${++frame} of the spinner`], prompt: null });
    await type("next", { enter: false, expected: expectedOf(null) });
    // Only the process was compared, and the last reading had no prompt.
    expect(panes.sent).toEqual([{ id: "%1", input: "next", guarded: false }]);
  });

  test("a text is refused if its agent ends while a spinner changes the screen", async () => {
    let frame = 0;
    const agent = working(null, { id: "%1" });
    const next = () => ({ ...agent, lines: [`frame ${++frame} of the spinner`] });
    panes.show("%1", next());
    panes.command = "claude";
    panes.beforeSend = (id) => {
      panes.show(id, next());
      if (frame === 4) panes.command = "sh";
    };
    await refuses(type("next", { enter: false, ...NONE }), "prompt_changed");
    expect(panes.sent).toEqual([]);
  });

  test("Enter after a text is not sent if the focus moved, except onto an option that takes text", async () => {
    const focused = (at: string, freeform: boolean) =>
      dialog(
        "Run rm build?",
        ASK.prompt.options.map((each) => ({ ...each, selected: each.key === at, freeform })),
      );
    for (const [freeform, inputs] of [
      [false, ["words"]],
      [true, ["words", "<Enter>"]],
    ] as const) {
      const seen = focused("1", freeform);
      const sent = panes.inputs().length;
      panes.timeMs += LONG_MS;
      panes.show("%1", seen);
      panes.onPause = () => panes.show("%1", focused("2", freeform));
      const work = type("words", { expected: expectedOf(seen.prompt) });
      if (freeform) await work;
      else await refuses(work, { kind: "conflict", reason: "partial_delivery_unknown" });
      expect(panes.inputs().slice(sent)).toEqual([...inputs]);
    }
  });

  test("Enter after a text is not sent to a dialog that appeared meanwhile", async () => {
    panes.show("%1", IDLE);
    panes.onPause = () => panes.show("%1", ASK);
    const work = type("hello", NONE);
    await refuses(work, {
      kind: "conflict",
      reason: "partial_delivery_unknown",
      question: "Run rm build?",
    });
    expect(panes.inputs()).toEqual(["hello"]);
    expect(panes.acted).toEqual(["%1"]);
  });

  test("a question inside the typed command line is not taken for a dialog", async () => {
    const echo = dialog('$ echo "Continue?"', [], { recognised: false });
    panes.show("%1", IDLE);
    panes.program("%1", (input) => (input === "<Enter>" ? IDLE : echo));
    await type('echo "Continue?"', NONE);
    expect(panes.inputs()).toEqual(['echo "Continue?"', "<Enter>"]);
  });
});

describe("a question on one line", () => {
  const EVENTS = { waiting: "polls", lines: false, echo: false } as const;
  const KEY = { ...EVENTS, waiting: "reads" } as const;
  const LINE = { waiting: "reads", lines: true, echo: true } as const;
  /** @param rows the question is the last of them, with what was typed behind it */
  const line = (rows: string[], terminal: TerminalUse = EVENTS): SimulatedScreen => ({
    lines: rows,
    prompt: prompt(rows.at(-1) ?? "", {
      ...{ recognised: false, questionLine: rows.length - 1 },
      options: [option("y", "Yes"), option("n", "No")],
    }),
    kind: "generic",
    terminal,
  });
  const typed = (...lines: string[]): SimulatedScreen => ({
    ...{ lines, kind: "generic", terminal: EVENTS },
  });
  const ASKS = ["? Name: (app)"];
  const send = (text: string) => type(text, { expected: expectedOf(line(ASKS).prompt ?? null) });
  const take = (row: string) => choose("y", { expected: expectedOf(line([row]).prompt ?? null) });

  test("gets a text and its Enter in one send where a line may be read, or a secret", async () => {
    const secret = line(["Password:"]);
    for (const shown of [
      line(ASKS, LINE),
      { ...line(ASKS), terminal: null },
      { ...secret, prompt: { ...secret.prompt, parser: "generic.secret" } as Prompt },
    ]) {
      panes.show("%1", shown);
      await type("demo", { expected: expectedOf(shown.prompt ?? null) });
      panes.timeMs += LONG_MS;
    }
    expect(panes.inputs()).toEqual(["demo<Enter>", "demo<Enter>", "demo<Enter>"]);
  });

  test("gets Enter once the text is drawn where keys are taken, or not at all", async () => {
    for (const drawn of ["? Name: demo", "? Name: ****"]) {
      panes = new SimulatedPanes();
      panes.show("%1", line(ASKS));
      panes.onPause = () => {
        if (panes.timeMs > 1500) panes.show("%1", typed(drawn));
      };
      await send("demo");
      expect(panes.inputs()).toEqual(["demo", "<Enter>"]);
      expect(panes.timeMs).toBeGreaterThan(1500);
    }
    panes.onPause = () => {};
    panes.show("%1", line(ASKS));
    panes.timeMs += LONG_MS;
    await refuses(send("demo"), "partial_delivery_unknown");
    expect(panes.inputs().slice(2)).toEqual(["demo"]);
  });

  test("gets Enter though its row has blanks and a glyph that its question has not", async () => {
    const asked = line(["│ Your   name: (app)"]);
    const shown = { ...asked, prompt: { ...asked.prompt, question: "Your name: (app)" } as Prompt };
    panes.show("%1", shown);
    panes.program("%1", () => ({ ...shown, lines: ["│ Your   name: demo"] }));
    await type("demo", { expected: expectedOf(shown.prompt) });
    expect(panes.inputs()).toEqual(["demo", "<Enter>"]);
  });

  const answered = async (asked: SimulatedScreen, text: string, drawn: SimulatedScreen) => {
    panes = new SimulatedPanes();
    panes.show("%1", asked);
    panes.program("%1", (input) => (input === "<Enter>" ? null : drawn));
    await type(text, { expected: expectedOf(asked.prompt ?? null) });
    return panes.inputs();
  };

  test("gets Enter behind an answer that its program breaks over the next rows", async () => {
    const text = "a name that is too long for its row";
    const rows = ["? Name: a name that is", "  too long for its", "  row"];
    for (const hint of [[], ["Press Tab for more"]]) {
      const asked = { ...line([...ASKS, ...hint]), prompt: line(ASKS).prompt as Prompt };
      expect(await answered(asked, text, typed(...rows, ...hint))).toEqual([text, "<Enter>"]);
    }
    const long = { ...typed("? What is the", "  name (app)"), prompt: prompt("? What is the") };
    for (const drawn of [
      ["? What is the", "  name a name that is", "  too long for its row"],
      ["? What is the", "  name (app) a name that is", "  too long for its row"],
    ])
      expect(await answered(long, text, typed(...drawn))).toEqual([text, "<Enter>"]);
    const other = typed("? Name: a name that is", "  Deleting");
    await refuses(answered(line(ASKS), "a name that is", other), "partial_delivery_unknown");
  });

  test.each([
    ["? Project name (app)", "? Project name demo"],
    ["? Project name (default: app)", "? Project name demo"],
    ["Project name [app]", "Project name demo"],
    ["? Project name (app) ‣ app", "? Project name ‣ demo"],
  ])("gets Enter though its default vanishes: %s", async (row, drawn) => {
    const asked = { ...line([row]), prompt: prompt(row) };
    expect(await answered(asked, "demo", typed(drawn))).toEqual(["demo", "<Enter>"]);
    // The row may still be read as a question.
    const still = { ...typed(drawn), prompt: prompt(drawn) };
    expect(await answered(asked, "demo", still)).toEqual(["demo", "<Enter>"]);
  });

  test("gets no Enter behind the key of an option that stands in place of its hint", async () => {
    // So libraries draw a question that is over.
    const row = "Delete it (y/N)";
    panes.show("%1", line([row]));
    panes.program("%1", () => typed("Delete it y"));
    await take(row);
    expect(panes.inputs()).toEqual(["y"]);
  });

  test("gets Enter behind the key of an option where its program edits a line", async () => {
    const row = "Delete it? [y/N] █";
    panes.show("%1", line([row], KEY));
    panes.program("%1", (input) =>
      input === "y" ? { ...typed("Delete it? [y/N] y█"), terminal: KEY } : null,
    );
    await take(row);
    expect(panes.inputs()).toEqual(["y", "<Enter>"]);
  });

  test.each([
    ["👍", "? Name: 👍"],
    ["→ ★", "? Name: → ★"],
    ["demo", "? Name: ●●●●"],
    ["demo", "? Name: ▪▪▪▪"],
  ])(
    "gets Enter behind an answer without letters, or a mask of it: %s as %s",
    async (text, row) => {
      expect(await answered(line(["? Name:"]), text, typed(row))).toEqual([text, "<Enter>"]);
    },
  );

  test.each([
    ["Type a digit (1-9)", "Type a digit (a-f)"],
    ["Part of the disk? (1 of 2)", "Part of the disk? (2 of 2)"],
    ["Part of the disk? (4 of 9)", "Part of the disk? (5 of 9)"],
  ])("gets no Enter where the next question stands in its place: %s", async (row, next) => {
    const asked = { ...line([row]), prompt: prompt(row) };
    for (const shown of [typed(next), { ...typed(next), prompt: prompt(next) }]) {
      await refuses(answered(asked, "5", shown), "partial_delivery_unknown");
      expect(panes.inputs()).toEqual(["5"]);
    }
  });

  test("gets no Enter while only a spinner turns above it", async () => {
    const asked = line(["◐ Loading", "? Name:"]);
    const turned = typed("◓ Loading", "? Name:");
    await refuses(answered(asked, "👍", turned), "partial_delivery_unknown");
    expect(panes.inputs()).toEqual(["👍"]);
  });

  const NEXT = {
    "the next question": line(["? Name: demo", "? Really: (no)"]),
    "the next question in its row": typed("? Name: demo Really? (Y/n)"),
    "a program that reads lines": { ...typed("? Name: demo"), terminal: LINE },
  };
  for (const [what, screen] of Object.entries(NEXT))
    test(`gets no Enter where ${what} came behind its text`, async () => {
      panes.show("%1", line(ASKS));
      panes.program("%1", () => screen);
      await send("demo");
      expect(panes.inputs()).toEqual(["demo"]);
    });

  test("gets no Enter if the program goes on before the Enter leaves", async () => {
    panes.show("%1", line(ASKS));
    panes.program("%1", () => typed("? Name: demo"));
    let sends = 0;
    panes.beforeSend = () => {
      if (++sends === 2) panes.show("%1", line(["? Really: (no)"]));
    };
    await refuses(send("demo"), "partial_delivery_unknown");
    expect(panes.inputs()).toEqual(["demo"]);
  });

  test("gets Enter though its program takes keys only now and then", async () => {
    panes.show("%1", line(ASKS));
    panes.program("%1", () => ({
      ...typed("? Name: demo"),
      terminal: { ...LINE, waiting: "none" },
    }));
    panes.onPause = () => panes.show("%1", typed("? Name: demo"));
    await send("demo");
    expect(panes.inputs()).toEqual(["demo", "<Enter>"]);
  });

  test("gets no Enter where nobody can tell what came behind its text", async () => {
    for (const screen of [
      typed("? Name: demo", "Deleting"),
      typed("? Name: demo", "? Name: (app)"),
    ]) {
      panes.show("%1", line(ASKS));
      panes.program("%1", () => screen);
      await refuses(send("demo"), "partial_delivery_unknown");
      panes.timeMs += LONG_MS;
    }
    expect(panes.inputs()).toEqual(["demo", "demo"]);
  });

  test("gets Enter behind the key of an option only if it still asks", async () => {
    const row = "Delete it? (y/N)";
    for (const [screen, enters] of [
      [typed(`${row} y`), ["y", "<Enter>"]],
      [typed(row, "Deleting"), ["y"]],
      [line([row, "Really? (Y/n)"]), ["y"]],
    ] as const) {
      panes = new SimulatedPanes();
      panes.show("%1", line([row]));
      panes.program("%1", () => screen);
      await take(row);
      expect(panes.inputs()).toEqual([...enters]);
    }
    panes.show("%1", line([row], KEY));
    panes.timeMs += LONG_MS;
    await take(row);
    expect(panes.inputs().slice(1)).toEqual(["y"]);
  });

  test("gets no Enter behind a key that it does not draw", async () => {
    panes.show("%1", line(["Delete it? (y/N)"]));
    await refuses(take("Delete it? (y/N)"), "partial_delivery_unknown");
    expect(panes.inputs()).toEqual(["y"]);
  });
});

describe("select", () => {
  test("select sends no Enter after a key that answers a known dialog", async () => {
    panes.show("%1", { ...ASK, kind: "agent_b" });
    panes.program("%1", () => OTHER);
    await choose("1", SEEN);
    expect(panes.sent).toEqual([{ id: "%1", input: "1", guarded: true }]);
  });

  test("select in a known dialog is guarded though the client expects nothing", async () => {
    panes.show("%1", ASK);
    panes.beforeSend = (id) => panes.show(id, OTHER);
    await refuses(choose("1"), "prompt_changed");
    expect(panes.sent).toEqual([]);
  });

  test("select refuses a key that the dialog does not show, and an option without a safe plan", async () => {
    panes.show("%1", dialog("Trust?", [option("1", "Yes", { answer: [] })]));
    await refuses(choose("3"), {
      kind: "invalid",
      reason: "not an option of this prompt: 3",
    });
    await refuses(choose("enter"), { kind: "invalid" });
    await refuses(choose("1"), { kind: "invalid" });
    await refuses(choose("1", { text: "words" }), {
      kind: "invalid",
      reason: "option 1 takes no text",
    });
    expect(panes.sent).toEqual([]);
  });

  test("select outside known dialogs sends the key, with Enter where the kind of the pane needs it", async () => {
    const yes = dialog("Overwrite? (y/n)", [option("y", "Yes"), option("n", "No")], {
      recognised: false,
    });
    const field = option("9", "Other", { freeform: true, answerWithText: [{ do: "text" }] });
    const freeform = dialog("Which?", [field], { recognised: false });
    for (const [kind, shown, key, input] of [
      ["generic", yes, "y", "y<Enter>"],
      ["generic", freeform, "9", "9<Enter>"],
      ["generic", yes, "enter", "<Enter>"],
      ["agent_a", yes, "1", "1"],
      ["agent_a", yes, "enter", "<Enter>"],
      ["agent_b", freeform, "9", "9"],
      ["agent_b", yes, "y", "y<Enter>"],
      ["agent_b", IDLE, "2", "2<Enter>"],
      ["agent_d", IDLE, "2", "2<Enter>"],
      ["shell", IDLE, "-l;", "-l;<Enter>"],
    ] as const) {
      panes.show("%1", { ...shown, kind });
      panes.timeMs += LONG_MS;
      await choose(key);
      panes.timeMs += LONG_MS;
      expect(panes.sent.at(-1)).toEqual({ id: "%1", input, guarded: false });
      await choose(key, { expected: expectedOf(shown.prompt) });
      expect(panes.sent.at(-1)).toEqual({ id: "%1", input, guarded: true });
    }
    await refuses(choose("9", { text: "words" }), { kind: "invalid" });
  });

  describe("a prompt that was just answered", () => {
    const expected = { ...expectedOf(ASK.prompt), selected: "1" };
    const others = () => [
      choose("2", { expected }),
      key("Enter", { expected }),
      key("Escape", { expected }),
      type("words", { expected }),
    ];
    const firsts = [
      ["an option", "1", () => choose("1", { expected })],
      ["Enter", "<Enter>", () => key("Enter", { expected })],
    ] as const;

    test.each(firsts)(
      "an answered prompt takes no other answer after %s before its program has drawn",
      async (_, input, first) => {
        panes.show("%1", ASK);
        panes.onPause = () => {
          if (panes.timeMs >= 400) panes.show("%1", OTHER);
        };
        const work = [first(), ...others()].map((each) => each.then(() => null, reasonOf));
        expect(await Promise.all(work)).toEqual([
          null,
          ...Array.from({ length: 4 }, () => "prompt_changed"),
        ]);
        expect(panes.inputs()).toEqual([input]);
      },
    );

    test("the same prompt takes another answer after a second without change", async () => {
      panes.show("%1", ASK);
      await choose("1", { expected });
      await choose("2", { expected });
      expect(panes.inputs()).toEqual(["1", "2"]);
      expect(panes.timeMs).toBeGreaterThanOrEqual(1000);
      expect(panes.timeMs).toBeLessThan(1100);
    });

    test("the same prompt takes another answer at once when the screen has changed", async () => {
      panes.show("%1", ASK);
      await choose("1", { expected });
      const { lines, prompt } = ASK;
      const again = { ...prompt, questionLine: prompt.questionLine + 1 };
      panes.show("%1", { lines: ["● ran", ...lines], prompt: again });
      await choose("1", { expected });
      expect(panes.inputs()).toEqual(["1", "1"]);
      expect(panes.timeMs).toBe(0);
    });

    test("an answered prompt holds back neither keys that only move nor actions that compare nothing", async () => {
      panes.show("%1", ASK);
      await choose("1", { expected });
      await key("Down", SEEN);
      await choose("2");
      await key("Enter");
      expect(panes.inputs()).toEqual(["1", "<Down>", "2", "<Enter>"]);
      expect(panes.timeMs).toBe(0);
    });
  });

  test("an answer that waits for a redraw is compared with the new screen", async () => {
    panes.show("%1", ASK);
    const expected = expectedOf(ASK.prompt);
    await choose("1", { expected });
    const next = dialog("Another?", [option("1", "Yes"), option("2", "No")]);
    panes.onPause = async () => {
      await setImmediate();
      panes.show("%1", next);
    };
    await refuses(choose("1", { expected }), "prompt_changed");
    await choose("2", { expected: expectedOf(next.prompt) });
    expect(panes.inputs()).toEqual(["1", "2"]);
  });

  test("select sends nothing where the focus of an open field has gone to another option", async () => {
    const field = (isOpen: boolean) =>
      dialog("Which one?", [
        option("1", "Yes, delete it", { selected: !isOpen }),
        option("2", "Something else", {
          ...{ selected: isOpen, freeform: true },
          answer: isOpen ? [{ do: "key", key: "Enter" }] : [{ do: "type", text: "2" }],
        }),
      ]);
    const open = field(true);
    panes.show("%1", open);
    let sends = 0;
    panes.beforeSend = () => {
      if (++sends === 1) panes.show("%1", field(false));
    };
    const taken = choose("2", { expected: expectedOf(open.prompt) });
    await refuses(taken, "options_changed");
    expect(panes.inputs()).toEqual([]);
  });

  test("select does not answer an overlay above the dialog", async () => {
    panes.show("%1", { lines: ["transcript", "1. Yes"], prompt: null, keepsPrevious: true });
    for (const prompt of [ASK.prompt, null])
      await refuses(choose("1", { expected: expectedOf(prompt) }), "prompt_changed");
    expect(panes.sent).toEqual([]);
  });

  const FOCUS = [{ do: "type", text: "2" }, { do: "verify" }] as const;
  const ENTER = { do: "key", key: "Enter" } as const;
  const declining = dialog("Run rm build?", [
    option("3", "No, and say why", {
      freeform: true,
      answer: [{ do: "type", text: "3" }],
      answerWithText: [{ do: "type", text: "3" }, { do: "closed" }, { do: "text" }, ENTER],
    }),
  ]);
  const written = (focused: string, label = "Tell it what to do") =>
    dialog("Run rm build?", [
      option("1", "Yes", { selected: focused === "1" }),
      option("2", label, {
        selected: focused === "2",
        freeform: true,
        answer: [...FOCUS, ENTER],
        answerWithText: [...FOCUS, { do: "text" }, ENTER],
      }),
    ]);

  test("select with text focuses the option, checks it, types, pauses and presses Enter", async () => {
    panes.show("%1", written("1"));
    panes.program("%1", (input) =>
      input === "<Enter>" ? IDLE : written("2", input === "2" ? undefined : input),
    );
    await choose("2", { text: "use git rm", expected: expectedOf(written("1").prompt) });
    expect(panes.sent).toEqual(
      ["2", "use git rm", "<Enter>"].map((input) => ({ id: "%1", input, guarded: true })),
    );
    expect(panes.pauses).toEqual([300]);
    expect(panes.acted).toEqual(["%1"]);
  });

  describe("the words for an option", () => {
    const words = { text: "use git rm" };
    const draws = (label?: string, more: Partial<Prompt> = {}) => {
      const drawn = written("2", label);
      return { ...drawn, prompt: { ...drawn.prompt, ...more } };
    };
    /** The program draws these, one at each look after the words. */
    const drawsLater = (...coming: SimulatedScreen[]) => {
      panes.show("%1", written("2"));
      panes.onPause = () => {
        const next = panes.inputs().at(-1) === words.text ? coming.shift() : null;
        if (next) panes.show("%1", next);
      };
    };
    const undrawn = Array.from({ length: 60 }, () => draws());

    test("are followed by Enter once a busy program has drawn them", async () => {
      drawsLater(...undrawn, draws(words.text));
      await choose("2", words);
      expect(panes.inputs()).toEqual(["2", words.text, "<Enter>"]);
      expect(panes.timeMs).toBeGreaterThan(1500);
    });

    test("are typed once their field is open, or not at all: its keys would take options", async () => {
      const TAB = { do: "key", key: "Tab" } as const;
      const noted = (answerWithText: AnswerStep[], note = "") => {
        const chosen = option("2", "None", { selected: true, freeform: true, answerWithText });
        const asked = dialog("Run rm build?", [option("1", "Yes"), chosen]);
        return { ...asked, lines: [...asked.lines, note] };
      };
      const closed = noted([TAB, { do: "open" }, { do: "text" }, ENTER]);
      const opened = (note?: string) => noted([{ do: "text" }, ENTER], note);
      panes.show("%1", closed);
      panes.program("%1", (input) => (input === words.text ? opened(input) : null));
      panes.onPause = () => {
        if (panes.timeMs > 1000 && panes.sent.length === 1) panes.show("%1", opened());
      };
      await choose("2", words);
      expect(panes.inputs()).toEqual(["<Tab>", words.text, "<Enter>"]);
      panes.onPause = () => {};
      panes.show("%1", closed);
      await refuses(choose("2", words), "partial_delivery_unknown");
      expect(panes.inputs().slice(3)).toEqual(["<Tab>"]);
    });

    test("are not followed by Enter if they are not drawn within 2 s", async () => {
      drawsLater();
      await refuses(choose("2", words), "partial_delivery_unknown");
      expect(panes.inputs()).toEqual(["2", words.text]);
    });

    test("are followed by Enter a quarter of a second after other marks are drawn for them", async () => {
      drawsLater(draws("**********"));
      await choose("2", words);
      expect(panes.inputs()).toEqual(["2", words.text, "<Enter>"]);
      expect(panes.timeMs).toBeLessThan(600);
    });

    test("are followed by Enter where they replace the same words, or have a stand-in", async () => {
      for (const label of [words.text, "[Pasted text #1 +2 lines]"]) {
        panes = new SimulatedPanes();
        panes.show("%1", written("2", words.text));
        panes.program("%1", (input) => (input === words.text ? draws(label) : null));
        await choose("2", words);
        expect(panes.inputs()).toEqual(["2", words.text, "<Enter>"]);
        expect(panes.pauses).toEqual([300]);
      }
    });

    test("are not followed by Enter if they were said above the dialog already", async () => {
      const said = { ...draws(), lines: ["> use git rm", ...draws().lines] };
      panes.show("%1", said);
      await refuses(choose("2", words), "partial_delivery_unknown");
      expect(panes.inputs()).toEqual(["2", words.text]);
    });
  });

  test("a text into a dialog of fields is followed by Enter once it is drawn, or not at all", async () => {
    const field = dialog("Name the branch", []);
    const typed = { ...field, lines: [...field.lines, "> topic"] };
    panes.show("%1", field);
    panes.onPause = () => {
      if (panes.timeMs > 1900) panes.show("%1", typed);
    };
    await type("topic", { expected: expectedOf(field.prompt) });
    expect(panes.inputs()).toEqual(["topic", "<Enter>"]);
    panes.onPause = () => {};
    panes.show("%1", field);
    panes.timeMs += LONG_MS;
    const again = type("topic", { expected: expectedOf(field.prompt) });
    await refuses(again, "partial_delivery_unknown");
    expect(panes.inputs().slice(2)).toEqual(["topic"]);
  });

  test("a text into a dialog that nobody can read is followed by Enter if nothing else has changed", async () => {
    const box = (field: string, title = "Your name") => {
      const rows = [`│ ${title} │`, `│ ${field.padEnd(8, "_")} │`, "│ <  OK  > │"];
      return dialog(title, [], { evidence: rows });
    };
    const answer = (text: string, [before, after]: readonly SimulatedScreen[]) => {
      panes = new SimulatedPanes();
      panes.show("%1", before ?? box(""));
      panes.program("%1", (input) => (input === "<Enter>" ? null : (after ?? null)));
      return type(text, { expected: expectedOf(before?.prompt ?? null) });
    };
    for (const drawn of [
      [box(""), box("Ann")],
      [box("Bob"), box("BobAnn")],
      [box("my-app"), box("Ann█")],
      [box(""), box("▪▪▪█")],
    ]) {
      await answer("Ann", drawn);
      expect(panes.inputs()).toEqual(["Ann", "<Enter>"]);
    }
    for (const other of [box("Ann", "Delete all"), box("Annette"), box("Bob"), box("****")]) {
      await refuses(answer("Ann", [box(""), other]), "partial_delivery_unknown");
      expect(panes.inputs()).toEqual(["Ann"]);
    }
  });

  test("text after a declined dialog goes to the input line, never to another dialog", async () => {
    const drawing = (input: string) => (input === "3" ? IDLE : { ...IDLE, lines: [`> ${input}`] });
    panes.show("%1", declining);
    panes.program("%1", drawing);
    await choose("3", { text: "use git rm" });
    expect(panes.inputs()).toEqual(["3", "use git rm", "<Enter>"]);

    panes.show("%1", declining);
    panes.program("%1", () => OTHER);
    // Waiting for the other dialog to close would type after another person's answer.
    panes.onPause = () => panes.show("%1", IDLE);
    await refuses(choose("3", { text: "use git rm" }), "partial_delivery_unknown");
    expect(panes.inputs().slice(3)).toEqual(["3"]);

    // While the dialog closes, the title may still say that something waits.
    const closing = dialog("What nobody can read", [], { recognised: false });
    panes.show("%1", declining);
    panes.program("%1", (input) => (input === "3" ? closing : drawing(input)));
    panes.onPause = () => {
      if (panes.inputs().at(-1) === "3") panes.show("%1", IDLE);
    };
    await choose("3", { text: "use git rm" });
    expect(panes.inputs().slice(4)).toEqual(["3", "use git rm", "<Enter>"]);
    panes.onPause = () => {};
    panes.show("%1", declining);
    await refuses(choose("3", { text: "use git rm" }), "partial_delivery_unknown");
    expect(panes.inputs().slice(7)).toEqual(["3"]);

    // A program that is ending a turn may lose an Enter.
    panes.show("%1", declining);
    let enters = 0;
    panes.program("%1", (input) => {
      if (input === "<Enter>") enters++;
      const isTyped = input !== "3" && enters < 2;
      return { ...IDLE, composer: isTyped ? draft("use git rm") : EMPTY };
    });
    await choose("3", { text: "use git rm" });
    expect(panes.inputs().slice(8)).toEqual(["3", "use git rm", "<Enter>", "<Enter>"]);

    // Without colours the hint in an empty input line reads as a draft.
    panes.show("%1", declining);
    panes.program("%1", (input) => ({
      ...IDLE,
      composer: draft(input === "use git rm" ? input : "Ask anything"),
    }));
    await choose("3", { text: "use git rm" });
    expect(panes.inputs().slice(12)).toEqual(["3", "use git rm", "<Enter>"]);
  });

  test("Enter after a declined dialog is pressed once the words are drawn, or not at all", async () => {
    panes.show("%1", declining);
    panes.program("%1", (input) => {
      if (input === "<Enter>") panes.onPause = () => {};
      return { ...IDLE, composer: EMPTY };
    });
    panes.onPause = () => {
      if (panes.timeMs > 1000) panes.show("%1", { ...IDLE, composer: draft("use git rm") });
    };
    await choose("3", { text: "use git rm" });
    expect(panes.inputs()).toEqual(["3", "use git rm", "<Enter>"]);
    expect(panes.timeMs).toBeGreaterThan(1000);

    panes.show("%1", declining);
    await refuses(choose("3", { text: "use git rm" }), "partial_delivery_unknown");
    expect(panes.inputs().slice(3)).toEqual(["3", "use git rm"]);
  });

  test("text after a declined dialog does not go to the shell of an agent that has ended", async () => {
    const declining = dialog("Trust this folder?", [
      option("2", "No, and say why", {
        freeform: true,
        answer: [{ do: "type", text: "2" }],
        answerWithText: [{ do: "type", text: "2" }, { do: "closed" }, { do: "text" }, ENTER],
      }),
    ]);
    const agent = { id: "%1", kind: "agent_a", agent: AGENT } as const;
    panes.show("%1", { ...declining, state: pane({ ...agent, status: "needs_input" }) });
    const shell = pane({ id: "%1", kind: "shell", status: "idle" });
    panes.program("%1", () => ({ lines: ["$ "], state: shell }));
    await refuses(choose("2", { text: "rm build" }), "partial_delivery_unknown");
    expect(panes.inputs()).toEqual(["2"]);
  });

  test("select waits for a program that draws late before its next step", async () => {
    panes.show("%1", written("1"));
    let looks = 0;
    panes.onPause = () => {
      if (++looks === 1) panes.show("%1", { lines: ["…"], prompt: null });
      if (looks === 3) panes.show("%1", written("2"));
    };
    await choose("2");
    expect(panes.inputs()).toEqual(["2", "<Enter>"]);
    expect(looks).toBe(3);
  });

  test("select waits 2 s for a program on a busy machine once a part has been sent, and no longer", async () => {
    panes.show("%1", written("1"));
    panes.onPause = () => {
      if (panes.timeMs >= 1900) panes.show("%1", written("2"));
    };
    await choose("2");
    expect(panes.inputs()).toEqual(["2", "<Enter>"]);
    panes.onPause = () => {};
    panes.show("%1", written("1"));
    const before = panes.timeMs;
    await refuses(choose("2"), "partial_delivery_unknown");
    expect(panes.timeMs - before).toBe(2000);
    expect(panes.inputs().slice(2)).toEqual(["2"]);
  });

  test("select waits at most 375 ms for a dialog that is being drawn", async () => {
    const half = { ...dialog("Which", []), isUnsettled: true };
    panes.show("%1", half);
    panes.onPause = async () => {
      await setImmediate();
      panes.show("%1", ASK);
    };
    await choose("1", SEEN);
    expect(panes.inputs()).toHaveLength(1);
    panes.onPause = () => {};
    panes.show("%1", half);
    const before = panes.timeMs;
    await refuses(choose("1", SEEN), { kind: "conflict" });
    expect(panes.timeMs - before).toBe(375);
    expect(panes.inputs()).toHaveLength(1);
  });

  test("select stops with partial_delivery_unknown if the focus does not come", async () => {
    panes.show("%1", written("1"));
    await refuses(choose("2", { text: "x" }), {
      kind: "conflict",
      reason: "partial_delivery_unknown",
    });
    expect(panes.inputs()).toEqual(["2"]);
    expect(panes.acted).toEqual(["%1"]);
  });

  test("select stops at once if another dialog appears between two steps", async () => {
    panes.show("%1", written("1"));
    panes.program("%1", () => OTHER);
    await refuses(choose("2"), {
      reason: "partial_delivery_unknown",
      question: "Run rm src?",
    });
    expect(panes.inputs()).toEqual(["2"]);
    expect(panes.pauses).toEqual([]);
  });

  test("each later step of select is guarded too", async () => {
    panes.show("%1", written("1"));
    panes.program("%1", (input) => (input === "2" ? written("2") : null));
    let sends = 0;
    panes.beforeSend = (id) => {
      if (++sends > 1) panes.show(id, OTHER);
    };
    await refuses(choose("2"), "partial_delivery_unknown");
    expect(panes.inputs()).toEqual(["2"]);
  });
});

describe("actions on one pane", () => {
  test("actions on a pane run one after another, and do not delay other panes", async () => {
    panes.show("%1", IDLE);
    panes.show("%2", IDLE);
    const gate = Promise.withResolvers<void>();
    panes.beforeSend = (id) => (id === "%1" ? gate.promise : undefined);
    const first = type("a");
    const second = key("Up", { id: "main:1.0" });
    await key("Down", { id: "%2" });
    expect(panes.inputs()).toEqual(["<Down>"]);
    gate.resolve();
    await Promise.all([first, second]);
    expect(panes.inputs()).toEqual(["<Down>", "a", "<Enter>", "<Up>"]);
  });

  test("a stop of the service waits for the running action and refuses the queued actions", async () => {
    panes.show("%1", IDLE);
    const stopped = Promise.withResolvers<string[]>();
    panes.onPause = () => void panes.queue.stop().then(() => stopped.resolve(panes.inputs()));
    const first = type("words");
    const second = type("more");
    await refuses(second, { kind: "unavailable" });
    expect(await stopped.promise).toEqual(["words", "<Enter>"]);
    await first;
    await refuses(key("Up"), {
      kind: "unavailable",
    });
  });

  test("a refused action does not keep the next action from running", async () => {
    panes.show("%1", ASK);
    const refused = key("Up", { expected: expectedOf(OTHER.prompt) });
    const next = key("Down");
    await refuses(refused, "prompt_changed");
    await next;
    expect(panes.inputs()).toEqual(["<Down>"]);
  });
});

describe("broadcast", () => {
  test("broadcast sends to each pane once, and lists the failures in order", async () => {
    for (const id of ["%1", "%2"]) panes.show(id, IDLE);
    const reply = await cast(["%2", "nobody", "main:2.0", "%1", "cfg:x", "%2"]);
    expect(reply).toEqual({
      ok: true,
      sent: 2,
      errors: ["nobody: unknown_pane", "cfg:x: unknown_pane"],
    });
    const of = (id: string) =>
      panes.sent.filter((sent) => sent.id === id).map((sent) => sent.input);
    expect([of("%1"), of("%2")]).toEqual([
      ["go", "<Enter>"],
      ["go", "<Enter>"],
    ]);
  });

  test("broadcast succeeds though every pane failed, and takes at most 200 ids", async () => {
    panes.beforeSend = (id) => {
      throw new AppError("invalid", "gone", { reason: `can't find pane: ${id}` });
    };
    expect(await cast(["%8", "%9"])).toEqual({
      ok: true,
      sent: 0,
      errors: ["%8: can't find pane: %8", "%9: can't find pane: %9"],
    });
    const many = Array.from({ length: 201 }, (_, index) => `%${index}`);
    await refuses(cast(many), { kind: "invalid", reason: "at most 200 ids" });
    expect((await cast(many.slice(1))).errors).toHaveLength(200);
  });

  test("broadcast with skip_waiting leaves out panes that wait by a fresh reading", async () => {
    panes.show("%1", IDLE);
    panes.show("%2", ASK);
    panes.show("%3", { lines: ["unknown dialog"], prompt: null, status: "needs_input" });
    panes.published = ["%1", "%2", "%3"].map((id) => ({ ...panes.state(id), status: "idle" }));
    const reply = await cast(["%1", "%2", "%3"], { skip_waiting: true });
    expect(reply.sent).toBe(1);
    expect(reply.errors).toEqual([
      "%2: skipped, it waits at a prompt",
      "%3: skipped, it waits at a prompt",
    ]);
    expect(panes.inputs()).toEqual(["go", "<Enter>"]);
  });

  test("broadcast starts panes in the given order, eight at a time", async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `%${20 - index}`);
    for (const id of ids) panes.show(id, IDLE);
    const starts: string[] = [];
    const gate = Promise.withResolvers<void>();
    panes.beforeSend = (id) => {
      starts.push(id);
      return gate.promise;
    };
    const all = cast(ids, { enter: false });
    for (let turn = 0; turn < 100; turn++) await setImmediate();
    expect(starts).toEqual(ids.slice(0, 8));
    gate.resolve();
    await all;
    expect(starts).toEqual(ids);
  });

  test("an unexpected failure of one pane does not stop the others, and its message is not in the reply", async () => {
    for (const id of ["%1", "%2"]) panes.show(id, IDLE);
    panes.beforeSend = (id) => {
      if (id === "%1") throw new Error("secret path");
    };
    expect(await cast(["%1", "%2"])).toEqual({ ok: true, sent: 1, errors: ["%1: internal error"] });
  });
});

describe("the readings of an action", () => {
  test("an answer of one key needs one reading, by select and by key", async () => {
    panes.show("%1", ASK);
    await choose("1", SEEN);
    expect(panes.readings).toBe(1);
    await key("Down", SEEN);
    expect(panes.readings).toBe(2);
  });

  test("a text with Enter takes a second reading after the text", async () => {
    panes.show("%1", IDLE);
    panes.program("%1", (input) => ({ ...IDLE, lines: [`> ${input}`] }));
    const expected = expectedOf(null);
    await type("words", { expected });
    expect(panes.readings).toBe(2);
  });
});

describe("the last pass of a machine that compares before it sends", () => {
  test("an answer needs no reading if the last pass shows its prompt, except after another answer", async () => {
    panes.show("%1", ASK);
    panes.lastReading = ASK;
    await choose("1", SEEN);
    expect([panes.inputs(), panes.readings]).toEqual([["1"], 0]);
    // After an answer the last pass is not used: the next answer waits a second for a redraw.
    const answeredAt = panes.timeMs;
    await choose("2", SEEN);
    expect(panes.timeMs - answeredAt).toBe(1000);
  });

  test("an answer takes a fresh reading if the screen has changed since", async () => {
    panes.show("%1", OTHER);
    panes.lastReading = ASK;
    await refuses(choose("1", SEEN), "prompt_changed");
    expect([panes.inputs(), panes.readings]).toEqual([[], 1]);
  });

  test("an answer that does not fit the last pass is compared with a fresh reading", async () => {
    panes.show("%1", ASK);
    panes.lastReading = OTHER;
    await choose("1", SEEN);
    expect([panes.inputs(), panes.readings]).toEqual([["1"], 1]);
  });

  test("an answer whose plan counts from a focus that has moved since is planned anew", async () => {
    const focus = (key: string, answer: AnswerStep[]) => {
      const at = (each: string) => option(each, each, { selected: each === key, answer });
      return dialog("Which one?", ["1", "2", "3"].map(at));
    };
    const enter = { do: "key", key: "Enter" } as const;
    panes.lastReading = focus("1", [{ do: "key", key: "Down" }, { do: "verify" }, enter]);
    panes.show("%1", focus("2", [{ do: "verify" }, enter]));
    const expected = expectedOf(panes.lastReading.prompt ?? null);
    await choose("2", { expected });
    expect([panes.inputs(), panes.readings]).toEqual([["<Enter>"], 1]);
  });

  test("an unsettled last pass is not used, nor that of another program", async () => {
    panes.show("%1", ASK);
    panes.lastReading = { ...ASK, isUnsettled: true };
    await choose("1", SEEN);
    expect(panes.readings).toBe(1);
    panes.timeMs += LONG_MS;
    panes.lastReading = ASK;
    panes.pid += 1;
    await refuses(choose("1", SEEN), "another program runs in pane %1 now");
    expect(panes.inputs()).toEqual(["1"]);
  });
});

test("an action that may have arrived is not sent again, and is reported as delivery_unknown", async () => {
  panes.outcome = "unknown";
  panes.show("%1", ASK);
  const expected = expectedOf(ASK.prompt);
  for (const act of [
    () => key("Up"),
    () => key("Down", { expected }),
    () => choose("2", { expected }),
  ]) {
    expect(await refusalOf(act())).toMatchObject({
      kind: "invalid",
      detail: { code: "delivery_unknown" },
    });
  }
  expect(panes.inputs()).toEqual(["<Up>", "<Down>", "2"]);
  expect(panes.acted).toEqual(["%1", "%1", "%1"]);
  expect(panes.log.filter((line) => line.includes(": may have arrived: "))).toHaveLength(3);
});

describe("an action of which a part has arrived", () => {
  const away = {
    reason: "host_away",
    code: "host_away",
    message: "gpu-1 is away; nothing was sent.",
  };
  const LOSSES = {
    away: () => {
      panes.beforeSend = () => {
        throw new AppError("conflict", "the host gpu-1 is away", away);
      };
    },
    closed: () => panes.lose("%1"),
    replaced: () => void (panes.pid += 1),
  };

  test.each([
    ["away", "conflict", [NONE, {}]],
    ["closed", "invalid", [NONE]],
    ["replaced", "invalid", [NONE, {}]],
  ] as const)(
    "the action is refused as partial_delivery_unknown if its pane is %s",
    async (loss, kind, requests) => {
      for (const more of requests) {
        panes = new SimulatedPanes();
        for (const id of ["%2", "%1"]) panes.show(id, IDLE);
        panes.onPause = LOSSES[loss];
        const refused = await refusalOf(type("hello", more));
        expect(panes.inputs()).toEqual(["hello"]);
        expect(refused).toMatchObject({
          kind,
          detail: {
            code: "partial_delivery_unknown",
            message: expect.stringContaining("part of it reached the pane"),
            ...(kind === "conflict" ? { current: { id: "%1" } } : {}),
          },
        });
      }
    },
  );

  test("broadcast lists partial_delivery_unknown or delivery_unknown for each pane", async () => {
    for (const id of ["%1", "%2"]) panes.show(id, IDLE);
    panes.onPause = LOSSES.away;
    const [first, second] = ["%1", "%2"].map((id) => `${id}: partial_delivery_unknown`);
    expect(await cast(["%1", "%2"])).toMatchObject({ sent: 0, errors: [first, second] });
    panes = new SimulatedPanes();
    panes.show("%1", IDLE);
    panes.outcome = "unknown";
    expect(await cast(["%1"])).toMatchObject({ sent: 0, errors: ["%1: delivery_unknown"] });
  });
});

describe("an idempotency key of an action", () => {
  const expected = expectedOf(ASK.prompt);

  test("a repeat returns the first outcome, and sends nothing again", async () => {
    panes.show("%1", IDLE);
    const say = (idempotency_key: string) => type("go on", { idempotency_key });
    await Promise.all([say("k1"), say("k1")]);
    await say("k1");
    expect(panes.inputs()).toEqual(["go on", "<Enter>"]);
    await say("k2");
    expect(panes.inputs()).toHaveLength(4);
    const sayAll = () => cast(["%1", "x"], { text: "all", enter: false, idempotency_key: "k3" });
    const first = await sayAll();
    expect(await sayAll()).toEqual(first);
    expect(panes.inputs()).toHaveLength(5);
  });

  test("a repeated conflict stays a conflict though the screen fits now, and has the current question", async () => {
    panes.show("%1", OTHER);
    const answer = { id: "%1", key: "1", expected, idempotency_key: "k" };
    await refuses(panes.legacy.select(answer, CLIENT), "prompt_changed");
    panes.show("%1", ASK);
    await refuses(panes.legacy.select(answer, CLIENT), {
      ...{ kind: "conflict", reason: "prompt_changed", question: ASK.prompt.question },
    });
    expect(panes.inputs()).toEqual([]);
  });

  test("a repeated conflict of a pane that is away has its placeholder", async () => {
    panes.show("%7", ASK);
    const again = () => choose("1", { id: "main:7.0", ...NONE, idempotency_key: "k" });
    await refuses(again(), "prompt_changed");
    panes.lose("%7");
    panes.published = [pane({ id: "cfg:main:7.0", target: "main:7.0", status: "offline" })];
    const { detail } = await refusalOf(again());
    expect(detail).toMatchObject({ reason: "prompt_changed", current: { id: "cfg:main:7.0" } });
  });

  test("the key is refused with another body, and on another route", async () => {
    panes.show("%1", ASK);
    const idempotency_key = "k";
    await choose("1", { idempotency_key });
    for (const other of [
      choose("2", { idempotency_key }),
      choose("1", { expected, idempotency_key }),
      key("Up", { idempotency_key }),
    ])
      // The refusal has no pane, because its question has nothing to do with the reuse.
      await refuses(other, {
        ...{ kind: "conflict", reason: "idempotency_key_reused", question: undefined },
      });
    expect(panes.inputs()).toEqual(["1"]);
  });
});

test("an option is recorded as chosen only when all of its plan was sent", async () => {
  panes.show("%1", ASK);
  const expected = { prompt_fingerprint: "sha256:other" };
  await expect(choose("1", { expected })).rejects.toThrow();
  expect(panes.choices).toEqual([]);
  await choose("1");
  expect(panes.choices).toEqual(["Run rm build? Yes"]);

  panes.outcome = "unknown";
  panes.show("%2", ASK);
  await expect(choose("1", { id: "%2" })).rejects.toThrow();
  await key("Up").catch(() => null);
  expect(panes.choices).toEqual(["Run rm build? Yes"]);
});
