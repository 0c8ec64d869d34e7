import { beforeEach, expect, test } from "bun:test";
import { FirstMessages } from "../../src/input/first-messages.ts";
import { createLog } from "../../src/lib/log.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { pane } from "../support/pane.ts";
import { AGENT, ID, settled, sightOf } from "./agent-pane.ts";
import { dialog, type SimulatedScreen, SimulatedPanes } from "./simulated.ts";
import { option } from "../support/detect-input.ts";

let panes: SimulatedPanes;
let nowS: number;
let messages: FirstMessages;
beforeEach(() => {
  panes = new SimulatedPanes();
  nowS = 1000;
  const log = createLog((line) => void panes.log.push(line));
  messages = new FirstMessages({ queue: panes.queue, clock: { monotonic: () => nowS }, log });
});

const TEXT = "Count the apples";
const EMPTY: SimulatedScreen = { lines: ["> "], composer: { holds: "nothing", line: 0 } };
const ASKS = dialog("Trust this folder?", [option("1", "Yes", { selected: true })]);

/** A program that keeps typed text in its input line until Enter. */
function takesText(): void {
  panes.program(ID, (input) =>
    input === "<Enter>"
      ? { lines: ["working"], status: "working", composer: null }
      : { lines: [`> ${input}`], composer: { holds: "draft", text: input, line: 0 } },
  );
}

async function pass(shown: SimulatedScreen | null = null): Promise<void> {
  if (shown !== null) panes.show(ID, shown);
  const state: PaneState = { ...panes.state(ID), agent: AGENT };
  await follow(state);
}

async function follow(state: PaneState): Promise<void> {
  messages.follow({ sights: [{ ...sightOf(panes), state }], hasFailed: false });
  await settled();
}

test("a first message is typed once, when the agent's input line is live and empty", async () => {
  takesText();
  messages.add(ID, TEXT);
  await pass({ lines: ["starting"], status: "working", composer: null });
  expect(panes.inputs()).toEqual([]);
  await pass(EMPTY);
  expect(panes.inputs()).toEqual([TEXT, "<Enter>"]);
  expect(messages.of(ID)).toEqual({ state: "sent", reason: null });
  await pass(EMPTY);
  expect(panes.inputs()).toHaveLength(2);
});

test("a first message is not typed into a dialog, a draft or a pane without a known input line", async () => {
  takesText();
  messages.add(ID, TEXT);
  await pass(ASKS);
  await pass({ lines: ["> hello"], composer: { holds: "draft", text: "hello", line: 0 } });
  await pass({ lines: ["?"], composer: { holds: "unclear", line: 0 } });
  await pass({ lines: ["$ "], composer: null });
  panes.show(ID, EMPTY);
  await follow({ ...panes.state(ID), agent: null });
  await follow({ ...panes.state(ID), agent: AGENT, actionable: false });
  expect(panes.inputs()).toEqual([]);
  expect(messages.of(ID)?.state).toBe("waiting");
  nowS += 120;
  await pass(ASKS);
  expect(messages.of(ID)).toEqual({ state: "not_sent", reason: "it asks something first" });
  await pass(EMPTY);
  expect(panes.inputs()).toEqual([]);
});

test("a screen that refused a first message is read again when it changes, else every five seconds", async () => {
  messages.add(ID, TEXT);
  const state = { ...pane(), id: ID, agent: AGENT };
  panes.show(ID, { lines: ["?"], composer: { holds: "unclear", line: 0 }, state });
  for (let each = 0; each < 4; each++) await follow(state);
  expect(panes.log).toHaveLength(1);
  await follow({ ...state });
  expect(panes.log).toHaveLength(2);
  nowS += 5;
  await follow({ ...state });
  expect(panes.log).toHaveLength(3);
});

test("a first message is not typed into a pane that took the place of the created pane", async () => {
  messages.add(ID, TEXT);
  await pass({ lines: ["starting"], status: "working", composer: null });
  messages.follow({ sights: [], hasFailed: false });
  expect(messages.of(ID)).toEqual({ state: "not_sent", reason: "its pane is gone" });
  await pass(EMPTY);
  expect(panes.inputs()).toEqual([]);
});

test("a first message waits two minutes for a pane that no pass has listed yet", async () => {
  takesText();
  panes.isListed = () => false;
  panes.show(ID, EMPTY);
  messages.add(ID, TEXT);
  // The pass after the creation has failed; the next one is of another machine.
  for (const hasFailed of [true, false]) messages.follow({ sights: [], hasFailed });
  expect(messages.of(ID)).toEqual({ state: "waiting", reason: null });
  panes.isListed = () => true;
  await pass(EMPTY);
  expect(panes.inputs()).toEqual([TEXT, "<Enter>"]);
  messages.add("%8", TEXT);
  nowS += 120;
  messages.follow({ sights: [], hasFailed: false });
  expect(messages.of("%8")).toEqual({
    ...{ state: "not_sent", reason: "it was not ready within two minutes" },
  });
});

test("no waiting first message is dropped for others, and an ended first message is dropped above 50", async () => {
  takesText();
  messages.add(ID, TEXT);
  await pass(EMPTY);
  for (let at = 100; at < 149; at++) messages.add(`%${at}`, TEXT);
  expect(messages.of(ID)?.state).toBe("sent");
  for (let at = 149; at < 160; at++) messages.add(`%${at}`, TEXT);
  expect(messages.of(ID)).toBeNull();
  expect(messages.of("%100")).toEqual({ state: "waiting", reason: null });
});

test("a first message that may have arrived is not typed again", async () => {
  panes.outcome = "unknown";
  messages.add(ID, TEXT);
  await pass(EMPTY);
  expect(messages.of(ID)).toEqual({
    state: "not_sent",
    reason: "it may have arrived: look at its terminal",
  });
  panes.outcome = "sent";
  await pass(EMPTY);
  expect(panes.inputs()).toHaveLength(1);
});

test("a first message without words or with control characters is refused", () => {
  expect(() => messages.check(" \n")).toThrow("needs words");
  expect(() => messages.check("\x1b[A")).toThrow("control characters");
  expect(messages.of("%9")).toBeNull();
});
