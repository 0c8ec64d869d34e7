import { beforeEach, describe, expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { pressUntilTaken, typeGuarded } from "../../src/input/typing.ts";
import type { Composer } from "../../src/detect/finding.ts";
import { CLIENT, draft, EMPTY, ID, idle, UNCLEAR } from "./agent-pane.ts";
import { SimulatedPanes } from "./simulated.ts";

const CODEX = { agent: { id: "agent_b", label: "Codex" } };
const NONE = { prompt_fingerprint: null, options_fingerprint: null };
const line = (text: string) => (text === "" ? EMPTY : draft(text));

/** The input line in each of the next readings; the last one stays. */
let coming: Composer[] = [];
let panes: SimulatedPanes;

beforeEach(() => {
  panes = new SimulatedPanes();
  coming = [];
  panes.show(ID, idle(line("")));
  panes.onPause = async () => {
    // A caller that does not await the pause reads the old screen.
    await setImmediate();
    const next = coming.shift();
    if (next) panes.show(ID, idle(next));
  };
});

const send = (text: string) =>
  panes.legacy.text({ id: ID, text, enter: true, expected: NONE }, CLIENT);
const draws = (shown: string, entered = "") =>
  panes.program(ID, (input) => idle(line(input === "<Enter>" ? entered : shown)));
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { detail: unknown }) => error.detail,
  );

describe("a text sent to a pane with a draft", () => {
  test("a text is not entered if a draft came into its line, and the refusal quotes both texts", async () => {
    draws("half a thought and hello");
    expect(await outcomeOf(send("hello"))).toMatchObject({
      reason: "partial_delivery_unknown",
      code: "draft_there",
      message: expect.stringContaining("half a thought and hello"),
    });
    expect(panes.inputs()).toEqual(["hello"]);
    // One before Enter, and nine between ten readings.
    expect(panes.pauses).toHaveLength(10);
    expect(panes.log.join("\n")).not.toContain("half a thought");
  });

  test("a text is not typed if the draft is already in the input line", async () => {
    panes.show(ID, idle(line("half a thought")));
    expect(await outcomeOf(send("hello"))).toMatchObject({
      reason: "prompt_changed",
      code: "draft_there",
      message: expect.stringContaining("half a thought"),
    });
    expect(panes.inputs()).toEqual([]);
  });
});

test("Enter follows a text once the whole text is drawn, by a busy program within a second", async () => {
  draws("");
  const undrawn = Array.from({ length: 30 }, () => line(""));
  coming = [...undrawn, line("he"), line("hel"), line("hello")];
  await send("hello");
  expect(panes.inputs()).toEqual(["hello", "<Enter>"]);
  expect(coming).toEqual([]);
});

test("Enter follows a text if the input line was empty before and then cannot be read", async () => {
  panes.program(ID, (input) => idle(input === "<Enter>" ? EMPTY : UNCLEAR));
  await send("hello");
  expect(panes.inputs()).toEqual(["hello", "<Enter>"]);
});

test("a text is not entered if its agent has ended and a shell runs in the pane", async () => {
  const shell = { kind: "shell", agent: null } as const;
  panes.program(ID, (input) => ({ ...idle(null, shell), lines: ["done.", `$ ${input}`] }));
  expect(await outcomeOf(send("clean up"))).toMatchObject({ code: "partial_delivery_unknown" });
  expect(panes.inputs()).toEqual(["clean up"]);
});

test("a text is not typed if its agent ends before the reading, or between it and the send", async () => {
  const shell = { ...idle(null, { kind: "shell", agent: null }), lines: ["done.", "$ "] };
  const ends = () => {
    panes.command = "bash";
    panes.show(ID, shell);
  };
  panes.beforeSend = ends;
  expect(await outcomeOf(send("clean up"))).toMatchObject({ code: "prompt_changed" });
  panes.show(ID, idle());
  panes.published = [panes.state(ID)];
  ends();
  expect(await outcomeOf(send("clean up"))).toMatchObject({ code: "prompt_changed" });
  expect(panes.inputs()).toEqual([]);
});

test("a text whose Enter its program loses gets a second one, and is not sent if it stays then", async () => {
  let enters = 0;
  panes.program(ID, (input) => {
    if (input === "<Enter>") enters += 1;
    return idle(line(enters > 1 ? "" : "go on"));
  });
  await send("go on");
  expect(panes.inputs()).toEqual(["go on", "<Enter>", "<Enter>"]);
  panes.program(ID, () => idle(line("go on")));
  expect(await outcomeOf(send("go on"))).toMatchObject({ code: "partial_delivery_unknown" });
});

test("a program that takes a text a second after its Enter gets no second one", async () => {
  panes.program(ID, (input) => {
    if (input === "<Enter>") coming = [...Array(10).fill(line("/model")), line("")];
    return idle(line("/model"));
  });
  await send("/model");
  expect(panes.inputs()).toEqual(["/model", "<Enter>"]);
});

describe("a text ending with a backslash", () => {
  test("a blank follows it if Enter would break the line", async () => {
    draws("C:\\dir\\");
    await send("C:\\dir\\");
    expect(panes.inputs()).toEqual(["C:\\dir\\ ", "<Enter>"]);
  });

  test("no blank follows it for another agent, nor without Enter", async () => {
    panes.program(ID, (input) => idle(line(input === "<Enter>" ? "" : "a\\"), CODEX));
    panes.show(ID, idle(line(""), CODEX));
    await send("a\\");
    expect(panes.inputs()).toEqual(["a\\", "<Enter>"]);
    panes.show(ID, idle(line("")));
    await panes.legacy.text({ id: ID, text: "b\\", enter: false, expected: NONE }, CLIENT);
    expect(panes.inputs().at(-1)).toBe("b\\");
  });
});

describe("the check that a text was taken", () => {
  const takes = (text: string) =>
    outcomeOf(
      panes.queue.run(
        { id: ID, listed: panes.queue.find(ID) },
        { kind: "text", client: CLIENT, input: { text: "" } },
        async (turn) => {
          await typeGuarded(turn, { text, enter: true }, () => null);
          await pressUntilTaken(turn, text);
        },
      ),
    );

  test("a text counts as taken once its line is empty or something covers it", async () => {
    draws("hello");
    expect(await takes("hello")).toBe("done");
    panes.show(ID, idle(line("")));
    panes.program(ID, (input) => (input === "<Enter>" ? idle(null) : idle(line(input))));
    expect(await takes("hello")).toBe("done");
  });

  test("a text counts as taken though its program draws it for a while after Enter", async () => {
    panes.program(ID, (input) => {
      if (input === "<Enter>") coming = [line("hello"), line("hello"), line("")];
      return idle(line("hello"));
    });
    expect(await takes("hello")).toBe("done");
    expect(panes.inputs()).toEqual(["hello", "<Enter>"]);
  });

  test("a text does not count as taken while another text is in the line, which is not entered", async () => {
    draws("fix it\\", "fix it");
    expect(await takes("fix it\\")).not.toBe("done");
    expect(panes.inputs()).toEqual(["fix it\\ ", "<Enter>"]);
  });

  test("no second Enter is pressed if the text is gone by then, and the text does not count as taken", async () => {
    const drawn = (text: string) => ({ ...idle(line(text)), lines: ["done.", `> ${text}`] });
    panes.program(ID, () => drawn("hello"));
    let sends = 0;
    panes.beforeSend = () => {
      if (++sends > 2) panes.show(ID, drawn("another"));
    };
    expect(await takes("hello")).toMatchObject({ code: "partial_delivery_unknown" });
    expect(panes.inputs()).toEqual(["hello", "<Enter>"]);
    expect(panes.pauses).toHaveLength(16);
  });

  test("a text that stays whole gets a second Enter and no third, and does not count as taken", async () => {
    draws("hello", "hello");
    expect(await takes("hello")).not.toBe("done");
    expect(panes.inputs()).toEqual(["hello", "<Enter>", "<Enter>"]);
  });
});
