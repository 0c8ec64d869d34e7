import { describe, expect, test } from "bun:test";
import { until } from "../../support/until.ts";
import { snapshotOf } from "../../support/wsp/answers.ts";
import { isOfService } from "../../support/wsp/cli.ts";
import { WspDouble } from "../../support/wsp/double.ts";
import {
  recordedCalls,
  type RecordedSnapshot,
  recordedSnapshots,
  recordedSockets,
  worldOf,
} from "../../support/wsp/recorded.ts";
import { stageOf } from "../../support/wsp/stages.ts";
import type { World } from "../../support/wsp/world.ts";

/** Recorded calls that the double does not play, each with the reason. */
const NOT_MODELLED: Readonly<Record<string, string>> = {
  "fake/pong-without-protocol": "an answer of a scripted socket that no server gives",
  "cli/api-schema-json": "a document that the recording leaves out",
  "altread/recent-unwrapped-200-ansi": "a text that the program drew while it was scrolled",
  "read/big-1000-lines-truecolor-ansi": "a document that the recording tells only by its size",
  "read/alt-screen-pane-get": "a state that no recording tells whole",
  "restart/old-id-before": "a state that no recording tells whole",
  "session/default-running-session-list": "a state that no recording tells whole",
};

const calls = await recordedCalls();
const library = {
  calls: new Map(calls.map((call) => [call.name, call])),
  snapshots: await recordedSnapshots(),
};

describe("the double answers as the recorded program did", () => {
  test.each(
    calls
      .filter(({ name, args, env = {} }) => isOfService({ args, env }) && !(name in NOT_MODELLED))
      .map((call) => [call.name, call] as const),
  )("%s", async (_, call) => {
    const { machine, env } = stageOf(library, call);
    const outcome = await Promise.race([machine.run(call.args, env), hung()]);
    if (typeof call.exit === "string") return expect(outcome).toBe("hung");
    if (outcome === "hung") throw new Error("the double gave no answer");
    expect({
      code: outcome.code,
      stdout: withoutLayouts(String(outcome.stdout)),
      stderr: outcome.stderr,
    }).toEqual({ code: call.exit, stdout: withoutLayouts(call.stdout), stderr: call.stderr });
  });
});

test("every call that the double does not play is one of the recorded calls", () => {
  expect(Object.keys(NOT_MODELLED).filter((name) => !library.calls.has(name))).toEqual([]);
});

async function hung(): Promise<"hung"> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  return "hung";
}

function withoutLayouts(text: string): string {
  return text.replace(/"layouts":\[.*?\],"panes":\[\{"agent/, '"layouts":[],"panes":[{"agent');
}

const snapshots = await recordedSnapshots();
const sockets = await recordedSockets();

/** The effects of a move or an end, without positions on a screen. */
function routesOf(snapshot: Record<string, unknown>): unknown {
  const { panes } = snapshot;
  if (!Array.isArray(panes)) throw new Error("a snapshot has panes");
  return panes
    .map(({ pane_id, terminal_id, tab_id, workspace_id, revision }) => ({
      ...{ pane_id, terminal_id, tab_id, workspace_id, revision },
    }))
    .toSorted((a, b) => (a.pane_id < b.pane_id ? -1 : 1));
}

function routesIn(world: World): unknown {
  const facts = { world, version: "0.8.2", protocol: 20, capabilities: null, violation: () => {} };
  return routesOf(snapshotOf(facts));
}

function snapshotPair(name: string): { before: RecordedSnapshot; after: RecordedSnapshot } {
  const found = snapshots[name];
  if (!found) throw new Error(`no snapshots of ${name}`);
  return found;
}

describe("the double's world changes as the recorded server's did", () => {
  test.each<[string, (world: World) => unknown]>([
    ["life/move-to-other-workspace", (world) => world.move("w1:p4", "w2:t1")],
    ["life/move-to-other-tab", (world) => world.move("w1:p4", "w1:t2")],
    ["life/close-pane", (world) => world.close("w1:p1")],
    ["life/shell-exit", (world) => world.exit("w1:p2")],
  ])("%s", (name, change) => {
    const { before, after } = snapshotPair(name);
    const world = worldOf(before);
    change(world);
    expect(routesIn(world)).toEqual(routesOf(after));
  });

  test("a pane that was moved away and back has a third id", () => {
    const world = worldOf(snapshotPair("life/move-to-other-workspace").before);
    world.move("w1:p4", "w2:t1");
    world.move("w2:p2", "w1:t1");
    expect(routesIn(world)).toEqual(routesOf(snapshotPair("life/move-back").after));
    for (const id of ["w1:p4", "w2:p2"]) expect(world.find(id)?.id).toBe("w1:p5");
  });

  test.each(["restart", "handoff"])("%s gives every pane another terminal", (name) => {
    const { before, after } = snapshotPair(name);
    const ids = (snapshot: RecordedSnapshot) =>
      snapshot.panes.map((pane) => String(pane.terminal_id));
    expect(ids(after).some((id) => ids(before).includes(id))).toBe(false);
    const world = worldOf(before);
    const old = world.panes.map((pane) => pane.terminalId);
    if (name === "restart") world.restart();
    else world.handOff();
    expect(world.panes.some((pane) => old.includes(pane.terminalId))).toBe(false);
    expect(world.panes.map((pane) => pane.id)).toEqual(
      before.panes.map((pane) => String(pane.pane_id)),
    );
  });
});

describe("the double's socket answers as the recorded one did", () => {
  test.each([
    ...["ping", "ping-extra-field", "pane-get-missing", "send-keys", "send-keys-empty"],
    ...["send-keys-invalid", "send-text-empty", "send-text-only-double-dash"],
  ])("%s", async (name) => {
    const call = sockets.find((each) => each.name === `socket/${name}`);
    if (!call) throw new Error(`${name} is not snapshotPair`);
    await using stage = await oneShell();
    const [wanted = ""] = call.response;
    expect(await stage.exchange(call.request)).toEqual([JSON.parse(wanted)]);
  });

  test.each([
    "bad-json",
    "missing-param",
    "pane-read-no-source",
    "ping-no-params",
    "unknown-method",
  ])("%s is refused without an id", async (name) => {
    await using stage = await oneShell();
    const call = sockets.find((each) => each.name === `socket/${name}`);
    const [wanted = ""] = call?.response ?? [];
    const { id, error } = JSON.parse(wanted);
    expect(await stage.exchange(`${call?.request.trimEnd()}\n`)).toEqual([
      { id, error: { code: error.code, message: expect.any(String) } },
    ]);
  });

  test("a subscription to a pane that is not there fails as a whole", async () => {
    await using stage = await oneShell();
    const call = sockets.find((each) => each.name === "events/missing-pane");
    const lines = call?.response.filter((line) => line.startsWith("{")) ?? [];
    expect(await stage.exchange(call?.request ?? "")).toEqual(
      lines.map((line) => JSON.parse(line)),
    );
  });
});

test("the double's executable carries arguments, output, exit code and errors", async () => {
  await using stage = await oneShell();
  const child = Bun.spawn([stage.double.binary, "pane", "get", "w9:p9", "--session", "demo"], {
    env: stage.double.env,
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await child.exited).toBe(1);
  expect(await new Response(child.stderr).text()).toContain("pane_not_found");
  expect(stage.double.calls).toHaveLength(1);
  expect(stage.double.violations).toEqual([]);
});

test("a double that was frozen goes on with what was written to its socket, and not with ended calls", async () => {
  await using stage = await oneShell();
  const { double } = stage;
  const [pane] = double.session().world.panes;
  if (!pane) throw new Error("no pane");
  double.freeze();
  const params = { pane_id: pane.id, text: "written" };
  await stage.write(`${JSON.stringify({ id: "1", method: "pane.send_text", params })}\n`);
  const argv = [double.binary, "pane", "send-text", pane.id, "asked", "--session", "demo"];
  const child = Bun.spawn(argv, { env: double.env });
  await until(() => double.running.size === 1);
  // The call was ended at its ping.
  child.kill("SIGKILL");
  await until(() => double.running.size === 0);
  double.thaw();
  await until(() => pane.received !== "");
  await stage.exchange(`${JSON.stringify({ id: "2", method: "ping", params: {} })}\n`);
  expect(pane.received).toBe("written");
});

async function oneShell() {
  const double = await WspDouble.start();
  const { world } = double.session();
  world.openPane(world.openTab(world.openWorkspace("demo")));
  return {
    double,
    /** Writes a line to the socket and disconnects. */
    async write(request: string): Promise<void> {
      const open = (socket: Bun.Socket) => void socket.end(request);
      await Bun.connect({ unix: double.socketPath(), socket: { open, data() {} } });
    },
    /** The answer to a line, up to the end of the connection. */
    async exchange(request: string): Promise<unknown[]> {
      const { promise, resolve } = Promise.withResolvers<string>();
      let text = "";
      await Bun.connect({
        unix: double.socketPath(),
        socket: {
          open: (socket) => void socket.write(request),
          data: (_, data) => void (text += data.toString()),
          close: () => resolve(text),
        },
      });
      const lines = (await promise).split("\n").filter((line) => line !== "");
      return lines.map((line) => JSON.parse(line));
    },
    [Symbol.asyncDispose]: () => double.stop(),
  };
}
