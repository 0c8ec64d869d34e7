import { beforeEach, expect, test } from "bun:test";
import { stopAgent } from "../../src/input/stop.ts";
import { pane } from "../support/pane.ts";
import { dialog, option, type Shown, SimulatedPanes } from "./simulated.ts";

const ID = "%3";
const CLIENT = {
  name: "Pixel 9 at 192.0.2.7",
  scope: "type",
  by: { grant: "pixel", name: "Pixel 9" },
} as const;
const agent = { id: "agent_a", label: "Claude Code" };
let panes: SimulatedPanes;

beforeEach(() => {
  panes = new SimulatedPanes();
});

function shown(status: "working" | "idle", lines = ["Thinking…"], members = {}): Shown {
  return { lines, state: pane({ id: ID, kind: "agent_a", status, agent, ...members }) };
}

const stop = (idempotency_key = "k") => stopAgent(panes.queue, { id: ID, idempotency_key }, CLIENT);
const codeOf = (work: Promise<void>) =>
  work.then(
    () => null,
    (error: { detail: { code: string } }) => error.detail.code,
  );

test("an agent that works gets one Esc, compared with its screen, once for a key", async () => {
  panes.show(ID, shown("working"));
  panes.program(ID, () => shown("idle"));
  await stop();
  await stop();
  expect(panes.sent).toEqual([{ id: ID, input: "<Escape>", guarded: true }]);
  expect(await codeOf(stop("another"))).toBe("not_working");
  expect(panes.sent).toHaveLength(1);
});

test("a program that wants Esc twice, and says so, gets it twice", async () => {
  panes.show(ID, shown("working"));
  let presses = 0;
  panes.program(ID, () =>
    ++presses === 1 ? shown("working", ["Thinking…", "esc again to interrupt"]) : shown("idle"),
  );
  await stop();
  expect(panes.inputs()).toEqual(["<Escape>", "<Escape>"]);
});

test("a program that asks for another Esc is heard for 400 ms, and none that has stopped", async () => {
  const hint = ["Thinking…", "esc again to interrupt"];
  for (const [afterMs, escapes] of [
    [400, 2],
    [500, 1],
  ] as const) {
    panes.show(ID, shown("working"));
    panes.sent.length = 0;
    const from = panes.timeMs;
    panes.onPause = () => {
      if (panes.timeMs - from === afterMs) panes.show(ID, shown("working", hint));
    };
    await stop(`after ${afterMs}`);
    expect(panes.inputs()).toHaveLength(escapes);
  }
});

test("that the pane cannot be looked at behind the Esc does not change that it was sent", async () => {
  panes.show(ID, shown("working"));
  panes.onPause = () => panes.lose(ID);
  await stop();
  expect(panes.inputs()).toEqual(["<Escape>"]);
});

test("one that goes on working gets no second Esc by itself", async () => {
  panes.show(ID, shown("working"));
  await stop();
  expect(panes.inputs()).toEqual(["<Escape>"]);
  await stop("again");
  expect(panes.inputs()).toEqual(["<Escape>", "<Escape>"]);
});

test.each<[string, () => Shown]>([
  ["idle", () => shown("idle")],
  [
    "asking",
    () => ({
      ...dialog("Run it?", [option("1", "Yes", { selected: true })]),
      state: pane({ id: ID, agent, status: "needs_input" }),
    }),
  ],
  ["covered by something", () => ({ ...shown("working"), keepsPrevious: true })],
  ["no agent", () => shown("working", ["make"], { agent: null, kind: "generic" })],
  ["a shell", () => shown("working", ["$"], { kind: "shell" })],
])("one that is %s gets nothing", async (_, now) => {
  panes.show(ID, now());
  expect(await codeOf(stop())).toBe("not_working");
  expect(panes.inputs()).toEqual([]);
});

test("a dialog that comes up in the last moment gets nothing", async () => {
  panes.show(ID, shown("working", ["Thinking about it"]));
  panes.beforeSend = () =>
    panes.show(ID, {
      ...dialog("Run it?", [option("1", "Yes", { selected: true })]),
      state: pane({ id: ID, agent, status: "needs_input" }),
    });
  expect(await codeOf(stop())).toBe("not_working");
  expect(panes.inputs()).toEqual([]);
});

test("an unknown pane is said to be unknown", async () => {
  expect(await codeOf(stop())).toBe("unknown_pane");
});
