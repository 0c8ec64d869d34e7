import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  applyDelta,
  diffState,
  NO_VIEW,
  type Scene,
  sceneOf,
  type ViewedScene,
} from "../../src/protocol/delta.ts";
import { DeltaFrame } from "../../src/protocol/frames.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { pane } from "../support/pane.ts";
import { fixture } from "../support/fixture.ts";
import { MenuOption } from "../../src/protocol/pane.ts";
import { forAll } from "../support/laws.ts";

const NO_STYLES = new Map();
const scene = (...panes: PaneState[]): Scene => ({ panes, styles: NO_STYLES });
const viewing = (...ids: string[]) => ({ ids: new Set(ids), styles: false });
const styled = (...ids: string[]) => ({ ids: new Set(ids), styles: true });
const overTheWire = (frame: DeltaFrame) => DeltaFrame.parse(JSON.parse(JSON.stringify(frame)));

// Few ids and words, so that panes come back, lines repeat and scrolling happens by chance.
const ids = ["%1", "%2", "%3", "cfg:a:1.1"];
const line = fc.constantFrom("", "one", "two", "three", "> ");
const yes = fixture(MenuOption, { key: "1", label: "Yes", selected: true });
const native = {
  present: true,
  kind: "claude",
  name: null,
  status: "idle" as const,
  state_change_seq: 1,
  interactive_ready: null,
};
const lines = fc.array(line, { maxLength: 8 });
const anyPane = fc
  .record({
    id: fc.constantFrom(...ids),
    status: fc.constantFrom("needs_input" as const, "idle" as const, "working" as const),
    changed: fc.boolean(),
    updated: fc.integer({ min: 0, max: 3 }),
    question: fc.constantFrom(null, "Proceed?"),
    menu: fc.constantFrom<PaneState["menu"]>([], [yes], [{ ...yes, selected: false }]),
    native_agent: fc.constantFrom(null, native, { ...native, name: "x" }),
    lines,
  })
  .map((members) => pane(members));
const anyRuns = fc.array(
  fc.array(fc.record({ start: fc.nat(3), length: fc.nat(3), style: fc.constantFrom("b", "f1") }), {
    maxLength: 2,
  }),
  { maxLength: 5 },
);
const anyScene: fc.Arbitrary<Scene> = fc.record({
  panes: fc.uniqueArray(anyPane, { selector: ({ id }) => id }),
  styles: fc.array(fc.tuple(fc.constantFrom(...ids), anyRuns)).map((entries) => new Map(entries)),
});
const anyView = fc.record({
  ids: fc.subarray([...ids, "gone"]).map((some) => new Set(some)),
  styles: fc.boolean(),
});
const anySight: fc.Arbitrary<ViewedScene> = fc.record({ scene: anyScene, view: anyView });

describe("law: applying the deltas to the first state gives the full state", () => {
  test("applied deltas give the full state, for any scenes and views", () => {
    forAll([fc.array(anySight, { minLength: 1, maxLength: 6 })], 300, (sights) => {
      let before: ViewedScene = { scene: scene(), view: NO_VIEW };
      let client: Scene = sceneOf(before);
      for (const sight of sights) {
        const next = applyDelta(client, overTheWire(diffState(before, sight)));
        expect(next).toEqual(sceneOf(sight));
        if (next) client = next;
        before = sight;
      }
    });
  });

  test("a delta between equal scenes is empty", () => {
    forAll([anySight], (sight) => {
      const copy = structuredClone(sight);
      expect(diffState(sight, copy)).toEqual({ type: "delta" });
    });
  });
});

describe("the scene of a view", () => {
  test("only waiting and viewed panes have their lines", () => {
    const all = scene(
      pane({ id: "%1", lines: ["a"] }),
      pane({ id: "%2", lines: ["b"], status: "needs_input" }),
      pane({ id: "%3", lines: ["c"] }),
    );
    const shown = sceneOf({ scene: all, view: viewing("%3") });
    expect(shown.panes.map(({ lines }) => lines)).toEqual([[], ["b"], ["c"]]);
  });

  test("styles come with viewed panes, and only when asked for", () => {
    const runs = [[{ start: 0, length: 1, style: "b" }]];
    const all: Scene = {
      panes: [pane({ lines: ["a"] }), pane({ id: "%2", lines: ["b"], status: "needs_input" })],
      styles: new Map([
        ["%1", runs],
        ["%2", runs],
      ]),
    };
    expect(sceneOf({ scene: all, view: viewing("%1") }).styles.size).toBe(0);
    expect([...sceneOf({ scene: all, view: styled("%1") }).styles.keys()]).toEqual(["%1"]);
  });
});

describe("the delta between two scenes", () => {
  test("a delta sets changed to true, and to false again", () => {
    const [quiet, loud] = [pane(), pane({ changed: true, updated: 1001 })];
    const set = (a: PaneState, b: PaneState) =>
      diffState({ scene: scene(a), view: NO_VIEW }, { scene: scene(b), view: NO_VIEW }).changed;
    expect(set(quiet, loud)).toEqual([{ id: "%1", set: { changed: true, updated: 1001 } }]);
    expect(set(loud, { ...loud, changed: false })).toEqual([{ id: "%1", set: { changed: false } }]);
  });

  test("a delta has only the new lines of output that scrolls above a steady composer", () => {
    const numbered = (from: number) =>
      Array.from({ length: 100 }, (_, index) => `line ${from + index}`);
    const composer = ["────", "> ", "────", "  ? for shortcuts"];
    const view = viewing("%1");
    const frame = diffState(
      { scene: scene(pane({ lines: [...numbered(0), ...composer] })), view },
      { scene: scene(pane({ lines: [...numbered(3), ...composer] })), view },
    );
    expect(frame.changed?.[0]?.lines_patch).toEqual({
      drop: 3,
      head: 97,
      tail: 4,
      insert: ["line 100", "line 101", "line 102"],
    });
  });

  test("a delta has the order only when panes move, come or go", () => {
    const [a, b, c] = [pane({ id: "%1" }), pane({ id: "%2" }), pane({ id: "%3" })];
    const order = (before: PaneState[], after: PaneState[]) =>
      diffState(
        { scene: scene(...before), view: NO_VIEW },
        { scene: scene(...after), view: NO_VIEW },
      ).order;
    expect(order([a, b], [b, a])).toEqual(["%2", "%1"]);
    expect(order([a, b], [b])).toEqual(["%2"]);
    expect(order([a], [a, c])).toEqual(["%1", "%3"]);
    expect(order([a, b], [a, { ...b, changed: true }])).toBeUndefined();
    expect(order([a], [])).toEqual([]);
  });
});

describe("applying a delta", () => {
  test("applyDelta keeps the objects of panes that the delta does not touch", () => {
    const [a, b] = [pane({ id: "%1" }), pane({ id: "%2" })];
    const next = applyDelta(scene(a, b), {
      type: "delta",
      changed: [{ id: "%2", set: { changed: true } }],
    });
    expect(next?.panes[0]).toBe(a);
    expect(next?.panes[1]).toEqual({ ...b, changed: true });
  });

  test("applyDelta gives null for a delta that does not fit the scene", () => {
    const state = scene(pane({ lines: ["a"] }));
    const frames: DeltaFrame[] = [
      { type: "delta", changed: [{ id: "%9", set: { changed: true } }] },
      {
        type: "delta",
        changed: [{ id: "%1", lines_patch: { drop: 1, head: 1, tail: 0, insert: [] } }],
      },
      { type: "delta", order: ["%1", "%9"] },
      { type: "delta", order: ["%1", "%1"] },
    ];
    for (const frame of frames) expect(applyDelta(state, frame)).toBeNull();
  });
});
