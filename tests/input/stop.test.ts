import { beforeEach, expect, test } from "bun:test";
import { stopAgent } from "../../src/input/stop.ts";
import { asking, CLIENT, ID, idle, refusalCode, working } from "./agent-pane.ts";
import { type SimulatedScreen, SimulatedPanes } from "./simulated.ts";

let panes: SimulatedPanes;

beforeEach(() => {
  panes = new SimulatedPanes();
});

const at = (lines: string[], members = {}) => ({ ...working(null, members), lines });

const stop = (idempotency_key = "k") => stopAgent(panes.queue, { id: ID, idempotency_key }, CLIENT);
test("a working agent gets one guarded Esc for an idempotency key", async () => {
  panes.show(ID, working());
  panes.program(ID, () => idle());
  await stop();
  await stop();
  expect(panes.sent).toEqual([{ id: ID, input: "<Escape>", guarded: true }]);
  expect(await refusalCode(stop("another"))).toBe("not_working");
  expect(panes.sent).toHaveLength(1);
});

const grok = { kind: "agent_c", agent: { id: "agent_c", label: "Grok" } } as const;

test("Grok, which Esc does not stop, gets Ctrl-C", async () => {
  panes.show(ID, working(null, grok));
  panes.program(ID, () => idle(null, grok));
  await stop();
  expect(panes.inputs()).toEqual(["<C-c>"]);
});

test("Grok gets no second Ctrl-C, which would end it, though its screen asks for another Esc", async () => {
  panes.show(ID, working(null, grok));
  panes.program(ID, () => at(["Thinking…", "press esc again"], grok));
  await stop();
  expect(panes.inputs()).toEqual(["<C-c>"]);
});

test("a program that asks for Esc again gets a second Esc", async () => {
  panes.show(ID, working());
  let presses = 0;
  panes.program(ID, () => (++presses === 1 ? at(["Thinking…", "esc again to interrupt"]) : idle()));
  await stop();
  expect(panes.inputs()).toEqual(["<Escape>", "<Escape>"]);
});

test("a request for a second Esc counts for 1500 ms", async () => {
  const hint = ["Thinking…", "esc again to interrupt"];
  for (const [afterMs, escapes] of [
    [1500, 2],
    [1600, 1],
  ] as const) {
    panes.show(ID, working());
    panes.sent.length = 0;
    const from = panes.timeMs;
    panes.onPause = () => {
      if (panes.timeMs - from === afterMs) panes.show(ID, at(hint));
    };
    await stop(`after ${afterMs}`);
    expect(panes.inputs()).toHaveLength(escapes);
  }
});

test("a turn that begins at the last moment gets no second Esc", async () => {
  panes.show(ID, at(["Thinking…", "esc again to interrupt"]));
  panes.program(ID, () => {
    panes.beforeSend = () => panes.show(ID, at(["Reading the next message…"]));
    return null;
  });
  await stop();
  expect(panes.inputs()).toEqual(["<Escape>"]);
});

test("a stop succeeds though the pane cannot be read after its Esc", async () => {
  panes.show(ID, working());
  panes.onPause = () => panes.lose(ID);
  await stop();
  expect(panes.inputs()).toEqual(["<Escape>"]);
});

test("an agent that goes on working gets no second Esc until the next stop", async () => {
  panes.show(ID, working());
  await stop();
  expect(panes.inputs()).toEqual(["<Escape>"]);
  await stop("again");
  expect(panes.inputs()).toEqual(["<Escape>", "<Escape>"]);
});

test.each<[string, () => SimulatedScreen]>([
  ["an idle agent", () => idle()],
  ["an agent that asks", asking],
  ["a working agent under an overlay", () => ({ ...working(), keepsPrevious: true })],
  ["a program that is no agent", () => at(["make"], { agent: null, kind: "generic" })],
  ["a shell", () => at(["$"], { kind: "shell" })],
])("%s gets no Esc", async (_, now) => {
  panes.show(ID, now());
  expect(await refusalCode(stop())).toBe("not_working");
  expect(panes.inputs()).toEqual([]);
});

test("a dialog that comes up at the last moment gets no Esc", async () => {
  panes.show(ID, at(["Thinking about it"]));
  panes.beforeSend = () => panes.show(ID, asking());
  expect(await refusalCode(stop())).toBe("not_working");
  expect(panes.inputs()).toEqual([]);
});

test("a stop of an unknown pane is refused as unknown_pane", async () => {
  expect(await refusalCode(stop())).toBe("unknown_pane");
});
