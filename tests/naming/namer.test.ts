import { expect, test } from "bun:test";
import fc from "fast-check";
import { type NamingFacts, type NamedPane, withoutSpinner } from "../../src/naming/heuristics.ts";
import { Namer, type NamerDeps } from "../../src/naming/namer.ts";
import { NamingMode } from "../../src/protocol/config.ts";
import { forAll } from "../support/laws.ts";
import { namedPane } from "./named-pane.ts";

const LOOK: NamingFacts = { kind: "generic", lines: [] };
const PANE = namedPane({ command: "ssh" });

function namerWith(deps: Partial<NamerDeps> = {}, argv = async () => [["ssh", "web-1"]]) {
  const state = { now: 0, reads: 0, argv };
  const processes = async () => {
    state.reads++;
    return (await state.argv()).map((args) => ({ args }));
  };
  const opened = new Namer({
    mode: (): NamingMode => "smart",
    prefixes: {},
    maxChars: 24,
    home: "/home/ana",
    hostname: "box",
    clock: { now: () => 0, monotonic: () => state.now },
    ai: null,
    ...deps,
  });
  const namer = {
    nameOf: (pane: NamedPane, look: NamingFacts) => opened.nameOf(pane, look, processes),
  };
  return { namer, state };
}

const settled = () => new Promise(setImmediate);

test("the name of a connection is given at once, and has its host in the next pass", async () => {
  const { namer } = namerWith();
  expect(namer.nameOf(PANE, LOOK)).toBe("ssh app");
  await settled();
  expect(namer.nameOf(PANE, LOOK)).toBe("ssh web-1");
});

test("the arguments of a program are read once in a while, not in each pass, and another host shows", async () => {
  const { namer, state } = namerWith();
  for (let pass = 0; pass < 5; pass++) namer.nameOf(PANE, LOOK);
  await settled();
  expect(state.reads).toBe(1);
  state.argv = async () => [["ssh", "web-2"]];
  state.now = 4;
  namer.nameOf(PANE, LOOK);
  await settled();
  expect(namer.nameOf(PANE, LOOK)).toBe("ssh web-2");
  expect(state.reads).toBe(2);
});

test("the arguments of the program before are not used for the next one", async () => {
  const { namer } = namerWith();
  namer.nameOf(PANE, LOOK);
  await settled();
  expect(namer.nameOf({ ...PANE, command: "bash" }, LOOK)).toBe("app");
});

test("arguments are read only in smart mode, and only of programs whose arguments name something", async () => {
  const quiet = namerWith();
  quiet.namer.nameOf({ ...PANE, command: "htop" }, LOOK);
  const other = namerWith({ mode: () => "session_pane" });
  expect(other.namer.nameOf(PANE, LOOK)).toBe("work:3");
  await settled();
  expect([quiet.state.reads, other.state.reads]).toEqual([0, 0]);
});

test("a process that cannot be read leaves the pane's name as it was", async () => {
  const { namer } = namerWith({}, () => Promise.reject(new Error("gone")));
  namer.nameOf(PANE, LOOK);
  await settled();
  expect(namer.nameOf(PANE, LOOK)).toBe("ssh app");
});

test("a model's name is used in smart mode only", () => {
  const ai = { nameOf: () => "from afar", start() {}, async stop() {} };
  expect(namerWith({ ai }).namer.nameOf({ ...PANE, command: "bash" }, LOOK)).toBe("from afar");
  expect(namerWith({ ai }).namer.nameOf(PANE, LOOK)).toBe("ssh from afar");
  expect(namerWith({ ai, mode: () => "command" }).namer.nameOf(PANE, LOOK)).toBe("ssh");
});

const SPINNING = namedPane({ title: "⠋ building", command: "node", window: "✳ api" });

const EXPECTED: Record<NamingMode, string> = {
  pane: "3",
  window_pane: "1:3",
  session_pane: "work:3",
  session_window_pane: "work:1:3",
  title: "building",
  window: "api",
  target: "work:1.3",
  command: "node",
  smart: "node building",
};
const nameIn = (mode: NamingMode, pane: NamedPane) =>
  namerWith({ mode: () => mode }).namer.nameOf(pane, LOOK);

test.each(NamingMode.options)(
  "mode %s gives its name, or the target where the name would be empty",
  (mode) => {
    expect(nameIn(mode, SPINNING)).toBe(EXPECTED[mode]);
    const names = { session: "", windowIndex: "", paneIndex: "" };
    const empty = { ...SPINNING, title: " ✳ ", window: "", command: "", cwd: "", names };
    expect(nameIn(mode, empty)).toBe("work:1.3");
  },
);

const TITLES: [string, string][] = [
  ["✳ Fix the login test", "Fix the login test"],
  ["⠂ ⠐ Thinking", "Thinking"],
  ["◇  Ready (app)", "Ready (app)"],
  ["✋  Action Required (app)", "Action Required (app)"],
  ["⏲️ Working", "Working"],
  ["| building", "building"],
  ["/ building", "building"],
  ["- building", "building"],
  ["✻", ""],
  ["*important*", "*important*"],
  ["/usr/bin/top", "/usr/bin/top"],
  ["-zsh", "-zsh"],
  ["plain", "plain"],
  ["日本語 ✳", "日本語 ✳"],
];
test.each(TITLES)("the title %j without its spinner is %j", (title, clean) => {
  expect(withoutSpinner(title)).toBe(clean);
});

test("for any pane: it has a name in every mode", () => {
  const pane = fc.record({
    identity: fc.string(),
    target: fc.string({ minLength: 1 }),
    title: fc.string({ unit: "binary" }),
    command: fc.string(),
    cwd: fc.string(),
    window: fc.string(),
    names: fc.record({ session: fc.string(), windowIndex: fc.string(), paneIndex: fc.string() }),
  });
  forAll([pane, fc.constantFrom(...NamingMode.options)], (one, mode) => {
    expect(nameIn(mode, one)).not.toBe("");
  });
});
