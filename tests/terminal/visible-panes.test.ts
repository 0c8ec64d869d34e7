import { expect, test } from "bun:test";
import type { PaneOverride } from "../../src/protocol/config.ts";
import { PaneState } from "../../src/protocol/pane.ts";
import { isVisible, placeholders, type Absence } from "../../src/terminal/visible-panes.ts";
import { pane as paneState } from "../support/pane.ts";

const override = (target: string, members: Partial<PaneOverride> = {}): PaneOverride => ({
  target,
  name: "",
  kind: null,
  star: false,
  ...members,
});
const absence = (members: Partial<Absence>): Absence => ({
  overrides: [],
  isListed: () => false,
  before: [],
  at: 1000,
  provider: "mux",
  ...members,
});

test("an absent target is offline, with everything off, as the contract's schema says", () => {
  const [state] = placeholders(absence({ overrides: [override("work:1.1")] }));
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

test("name, kind and star are those of the override; listed targets have none", () => {
  const overrides = [
    override("a:1.1", { name: "Build", kind: "agent_a", star: true }),
    override("b:1.1"),
    override("c:1.1"),
  ];
  const states = placeholders(absence({ overrides, isListed: (target) => target === "b:1.1" }));
  expect(states.map((state) => [state.id, state.name, state.kind, state.starred])).toEqual([
    ["cfg:a:1.1", "Build", "agent_a", true],
    ["cfg:c:1.1", "c:1.1", "generic", false],
  ]);
});

test("it stays the same object until its override changes, and keeps since when it is away", () => {
  const before = placeholders(absence({ overrides: [override("a:1.1")] }));
  const same = placeholders(absence({ overrides: [override("a:1.1")], before, at: 1001 }));
  expect(same[0]).toBe(before[0]);
  const named = override("a:1.1", { name: "Named" });
  const [renamed] = placeholders(absence({ overrides: [named], before, at: 1002 }));
  expect(renamed).toMatchObject({ name: "Named", status_since: 1000 });
});

test.each([
  ["any pane that was discovered", { kind: "generic" }, {}, {}, true],
  ["no shell", { kind: "shell" }, {}, {}, false],
  ["a shell when shells are wanted", { kind: "shell" }, { include_shells: true }, {}, true],
  ["a shell that waits", { kind: "shell", status: "needs_input" }, {}, {}, true],
  ["a shell made here", { kind: "shell" }, {}, { isCreatedHere: true }, true],
  ["a shell with an override", { kind: "shell" }, {}, { hasOverride: true }, true],
  ["nothing without discovery", { kind: "generic" }, { auto_discover: false }, {}, false],
  ["but overrides", { kind: "shell" }, { auto_discover: false }, { hasOverride: true }, true],
] as const)("shown: %s", (_name, state, rules, facts, expected) => {
  const isIt = isVisible(
    paneState(state),
    { auto_discover: true, include_shells: false, ...rules },
    { hasOverride: false, isCreatedHere: false, ...facts },
  );
  expect(isIt).toBe(expected);
});
