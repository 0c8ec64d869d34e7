import { expect, test } from "bun:test";
import { PaneOverride } from "../../src/protocol/config.ts";
import { PaneState } from "../../src/protocol/pane.ts";
import { visiblePanes } from "../../src/terminal/visible-panes.ts";
import { fixture } from "../support/fixture.ts";
import { listedPane, pane as paneState } from "../support/pane.ts";

const override = (target: string, members: Partial<PaneOverride> = {}) =>
  fixture(PaneOverride, { target, ...members });
interface Facts {
  hasOverride?: boolean;
  isCreatedHere?: boolean;
}

const RULES = { auto_discover: true, include_shells: false };
type Records = Parameters<typeof visiblePanes>[0];

/** The published panes of these records and overrides. */
function published(
  overrides: readonly PaneOverride[],
  { records = [] as Records, before = [] as readonly PaneState[], at = 1000, rules = {} } = {},
) {
  const byTarget = new Map(overrides.map((each) => [each.target, each]));
  const context = { overrides: byTarget, rules: { ...RULES, ...rules }, at, host: undefined };
  return visiblePanes(records, { panes: before, sights: [] }, { ...context, provider: "mux" })
    .panes;
}

const listed = (state: Partial<PaneState>, isCreatedHere = false): Records[number] => ({
  pane: listedPane({ target: "b:1.1", isCreatedHere }),
  state: paneState({ target: "b:1.1", ...state }),
  lines: [],
});

test("an absent target is published as offline, without capabilities, in the contract's schema", () => {
  const [state] = published([override("work:1.1")]);
  expect(PaneState.parse(state)).toMatchObject({
    id: "cfg:work:1.1",
    target: "work:1.1",
    name: "work:1.1",
    kind: "generic",
    status: "offline",
    title: "",
    question: null,
    menu: [],
    lines: [],
    hierarchy: [],
    actionable: false,
    stale: true,
    legacy_guard: null,
  });
  const { keys, input, ...rest } = state?.capabilities ?? { keys: ["?"], input: "?" };
  expect([keys, input]).toEqual([[], "legacy"]);
  expect(Object.values(rest)).not.toContain(true);
});

test("an absent target has the name, kind and star of its override, a listed target is not absent", () => {
  const overrides = [
    override("a:1.1", { name: "Build", kind: "agent_a", star: true }),
    override("b:1.1"),
    override("c:1.1"),
  ];
  const [shown, ...states] = published(overrides, { records: [listed({})] });
  expect(shown?.id).not.toContain("cfg:");
  expect(states.map((state) => [state.id, state.name, state.kind, state.starred])).toEqual([
    ["cfg:a:1.1", "Build", "agent_a", true],
    ["cfg:c:1.1", "c:1.1", "generic", false],
  ]);
});

test("an absent target stays the same object until its override changes, and keeps the time of its status", () => {
  const before = published([override("a:1.1")]);
  const same = published([override("a:1.1")], { before, at: 1001 });
  expect(same).toBe(before);
  const named = override("a:1.1", { name: "Named" });
  const [renamed] = published([named], { before, at: 1002 });
  expect(renamed).toMatchObject({ name: "Named", status_since: 1000 });
});

test.each([
  ["a pane that was discovered", { kind: "generic" }, {}, {}, true],
  ["a shell", { kind: "shell" }, {}, {}, false],
  ["a shell when shells are wanted", { kind: "shell" }, { include_shells: true }, {}, true],
  ["a shell that waits", { kind: "shell", status: "needs_input" }, {}, {}, true],
  ["a shell made here", { kind: "shell" }, {}, { isCreatedHere: true }, true],
  ["a shell with an override", { kind: "shell" }, {}, { hasOverride: true }, true],
  ["a pane without discovery", { kind: "generic" }, { auto_discover: false }, {}, false],
  [
    "a shell with an override, without discovery",
    { kind: "shell" },
    { auto_discover: false },
    { hasOverride: true },
    true,
  ],
  [
    "an agent made here, without discovery",
    { kind: "agent_a" },
    { auto_discover: false },
    { isCreatedHere: true },
    true,
  ],
] as const)("whether a pane is published: %s", (_name, state, rules, facts, expected) => {
  const { hasOverride = false, isCreatedHere = false }: Facts = facts;
  const records = [listed(state, isCreatedHere)];
  const shown = published(hasOverride ? [override("b:1.1")] : [], { records, rules });
  expect(shown.length === 1).toBe(expected);
});
