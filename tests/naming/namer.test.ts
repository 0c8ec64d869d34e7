import { expect, test } from "bun:test";
import { Namer, type NamerDeps } from "../../src/naming/namer.ts";
import type { NamedLook, NamedPane } from "../../src/naming/resolve.ts";
import type { NamingMode } from "../../src/protocol/config.ts";

const LOOK: NamedLook = { kind: "generic", lines: [] };
const PANE: NamedPane = {
  identity: "1:%3",
  target: "work:1.3",
  title: "",
  command: "ssh",
  cwd: "/srv/app",
  window: "w",
  names: { session: "work", windowIndex: "1", paneIndex: "3" },
};

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
    nameOf: (pane: NamedPane, look: NamedLook) => opened.nameOf(pane, look, processes),
  };
  return { namer, state };
}

const settled = () => new Promise(setImmediate);

test("arguments are read aside: the first name is given at once, the next pass has the host", async () => {
  const { namer } = namerWith();
  expect(namer.nameOf(PANE, LOOK)).toBe("ssh app");
  await settled();
  expect(namer.nameOf(PANE, LOOK)).toBe("ssh web-1");
});

test("they are read once in a while, not in each pass, and another host is noticed", async () => {
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

test("the arguments of the program before are forgotten", async () => {
  const { namer } = namerWith();
  namer.nameOf(PANE, LOOK);
  await settled();
  expect(namer.nameOf({ ...PANE, command: "bash" }, LOOK)).toBe("app");
});

test("panes whose arguments tell nothing are not looked at, nor is any in another mode", async () => {
  const quiet = namerWith();
  quiet.namer.nameOf({ ...PANE, command: "htop" }, LOOK);
  const other = namerWith({ mode: () => "session_pane" });
  expect(other.namer.nameOf(PANE, LOOK)).toBe("work:3");
  await settled();
  expect([quiet.state.reads, other.state.reads]).toEqual([0, 0]);
});

test("a process that cannot be read leaves the name as it is", async () => {
  const { namer } = namerWith({}, () => Promise.reject(new Error("gone")));
  namer.nameOf(PANE, LOOK);
  await settled();
  expect(namer.nameOf(PANE, LOOK)).toBe("ssh app");
});

test("a model's name wins in smart mode only", () => {
  const ai = { nameOf: () => "from afar", start() {}, async stop() {} };
  expect(namerWith({ ai }).namer.nameOf({ ...PANE, command: "bash" }, LOOK)).toBe("from afar");
  expect(namerWith({ ai }).namer.nameOf(PANE, LOOK)).toBe("ssh from afar");
  expect(namerWith({ ai, mode: () => "command" }).namer.nameOf(PANE, LOOK)).toBe("ssh");
});
