import { describe, expect, test } from "bun:test";
import { applyDelta, diffState, NO_VIEW } from "../../src/protocol/delta.ts";
import { PaneState } from "../../src/protocol/pane.ts";
import { readFrame, readState, type SeenFrame } from "../../src/protocol/tolerant.ts";
import { pane } from "../support/pane.ts";

const full = pane({
  question: "Proceed?",
  menu: [
    { key: "1", label: "Yes", description: "", selected: true, freeform: false, checked: null },
  ],
  lines: ["a", "b"],
  hierarchy: [{ kind: "session", id: "$1", label: "work", position: null }],
  native_agent: {
    present: true,
    kind: "claude",
    name: null,
    status: "idle",
    state_change_seq: 1,
    interactive_ready: null,
  },
  agent: { id: "agent_a", label: "A" },
  evidence: ["$ rm x"],
  legacy_guard: { prompt_fingerprint: "sha256:00", options_fingerprint: null, selected: "1" },
});
const state = (...panes: unknown[]) => ({ type: "state", panes });
const without = (member: string) =>
  Object.fromEntries(Object.entries(full).filter(([key]) => key !== member));
const seen = (...panes: unknown[]) => {
  const reading = readState(state(...panes));
  if (reading === null) throw new Error("the state is malformed");
  return reading.panes;
};
const frame = (value: unknown): SeenFrame => {
  const reading = readFrame(JSON.stringify(value));
  if (reading === null) throw new Error("the frame is malformed");
  return reading;
};

describe("the tolerant reading of a state", () => {
  test("a state of this protocol is read as it is", () => {
    expect(PaneState.parse(full)).toEqual(full);
    expect(seen(full, pane())).toEqual([full, pane()]);
    expect(frame(state(full))).toEqual({ type: "state", panes: [full] });
  });

  const required = Object.entries(PaneState.shape).filter(
    ([, member]) => !member.safeParse(undefined).success,
  );
  test.each(required.map(([name]) => name))("a pane without %s is malformed", (member) => {
    expect(readState(state(without(member)))).toBeNull();
  });

  test.each(["kind", "status", "menu", "capabilities", "native_agent", "risk", "act"])(
    "a %s of the wrong type is malformed, because its members are used",
    (member) => {
      expect(readState(state({ ...full, [member]: 1 }))).toBeNull();
    },
  );

  test("a wrong type in a member that is only drawn is accepted", () => {
    expect(seen({ ...full, title: 1 })[0]?.title as unknown).toBe(1);
  });

  test("unknown members are kept", () => {
    const newer = { ...full, mood: "good", menu: [{ ...full.menu[0], hotkey: "y" }] };
    expect(seen(newer)[0] as unknown).toEqual(newer);
  });

  test("an unknown enum value becomes unknown and keeps its own word", () => {
    const capabilities = { ...full.capabilities, input: "telepathy" };
    const [newer] = seen({ ...full, kind: "agent_z", status: "asleep", capabilities });
    expect(newer).toMatchObject({
      kind: "unknown",
      raw_kind: "agent_z",
      status: "unknown",
      raw_status: "asleep",
      capabilities: { input: "unknown" },
    });
    expect(seen({ ...full, kind: "toString" })[0]?.kind).toBe("unknown");
  });

  test("other JSON is malformed", () => {
    const bodies = [null, 1, [], {}, { type: "state" }, { type: "other", panes: [] }, state(null)];
    for (const body of bodies) expect(readState(body)).toBeNull();
  });
});

describe("the tolerant reading of a frame", () => {
  test("an unknown type is read as unknown", () => {
    expect(frame({ type: "weather", panes: 1 })).toEqual({ type: "unknown" });
    expect(frame({})).toEqual({ type: "unknown" });
  });

  test.each(["", "{", "null", "[]", '{"type":"state"}', '{"type":"delta","added":[1]}'])(
    "%s is malformed",
    (text) => {
      expect(readFrame(text)).toBeNull();
    },
  );

  test("hello and config_changed are read", () => {
    expect(frame({ type: "hello", sid: "0a1b2c3d", extra: 1 })).toMatchObject({
      type: "hello",
      sid: "0a1b2c3d",
    });
    expect(frame({ type: "config_changed" })).toEqual({ type: "config_changed" });
  });

  test("a delta is read as the server made it", () => {
    const before = { panes: [full], styles: new Map() };
    const after = {
      panes: [{ ...full, lines: ["b", "c"], changed: true }, pane({ id: "%2", lines: ["x"] })],
      styles: new Map([["%2", [[{ start: 0, length: 1, style: "b f1" }]]]]),
    };
    const view = { ids: new Set(["%1", "%2"]), styles: true };
    const delta = frame(
      diffState({ scene: before, view: { ...NO_VIEW, ids: view.ids } }, { scene: after, view }),
    );
    if (delta.type !== "delta") throw new Error("not a delta");
    expect(applyDelta({ panes: seen(full), styles: new Map() }, delta)).toEqual(after);
  });

  test("an added pane that is not whole is malformed", () => {
    const added = (pane: object) => readFrame(JSON.stringify({ type: "delta", added: [pane] }));
    expect(added(full)).not.toBeNull();
    expect(added(without("risk"))).toBeNull();
  });

  test("unknown enum values in a delta become unknown", () => {
    expect(frame({ type: "delta", changed: [{ id: "%1", set: { status: "asleep" } }] })).toEqual({
      type: "delta",
      changed: [{ id: "%1", set: { status: "unknown", raw_status: "asleep" } }],
    });
    const wrong = { type: "delta", changed: [{ id: "%1", set: { status: 1 } }] };
    expect(readFrame(JSON.stringify(wrong))).toBeNull();
  });
});
