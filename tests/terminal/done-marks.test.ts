import { expect, test } from "bun:test";
import type { PaneState } from "../../src/protocol/pane.ts";
import { DoneMarks } from "../../src/terminal/done-marks.ts";
import type { PaneSight } from "../../src/terminal/transitions.ts";
import { pane } from "../support/pane.ts";

const AGENT = { id: "agent_a", label: "Claude Code" };
const working = pane({
  agent: AGENT,
  kind: "agent_a",
  status: "working",
  reason: "agent_a.spinner",
});
const idle = pane({ agent: AGENT, kind: "agent_a", status: "idle" });

const sight = (state: PaneState, identity = "one"): PaneSight => ({
  identity,
  id: state.id,
  target: state.target,
  state,
  isShown: true,
});

const moment = (at: number) => ({ at, monotonic: at });

/** Marks after the agent has worked for a while and was idle for a few passes. */
function finished() {
  const marks = new DoneMarks();
  for (let at = 1000; at <= 1015; at++) marks.mark(moment(at), [sight(working)]);
  for (let at = 1016; at <= 1020; at++) marks.mark(moment(at), [sight(idle)]);
  return marks;
}

test("an agent that has worked and is idle is marked, and stays the same object", () => {
  const marks = finished();
  const [first] = marks.mark(moment(1021), [sight(idle)]);
  const [second] = marks.mark(moment(1022), [sight(idle)]);
  expect(first?.state.finished_at).toBe(1016);
  expect(second?.state).toBe(first?.state as PaneState);
});

test("a look ends it, for this pane alone", () => {
  const marks = finished();
  marks.noticed("another", { seenAt: 1021 });
  expect(marks.mark(moment(1021), [sight(idle)])[0]?.state.finished_at).toBe(1016);
  marks.noticed("one", { seenAt: 1022 });
  expect(marks.mark(moment(1023), [sight(idle)])[0]?.state).toBe(idle);
  expect(marks.mark(moment(1024), [sight(idle)])[0]?.state).toBe(idle);
});

test("what ended while a pass failed is not told as finished", () => {
  const marks = new DoneMarks();
  for (let at = 1000; at <= 1015; at++) marks.mark(moment(at), [sight(working)]);
  marks.failed();
  for (let at = 1017; at <= 1025; at++)
    expect(marks.mark(moment(at), [sight(idle)])[0]?.state.finished_at).toBeNull();
});

test("a pane that is gone leaves nothing behind, and its successor begins anew", () => {
  const marks = finished();
  marks.mark(moment(1021), []);
  expect(marks.mark(moment(1022), [sight(idle)])[0]?.state.finished_at).toBeNull();
});
