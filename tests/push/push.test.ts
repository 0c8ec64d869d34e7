import { AgentFeed } from "../../src/agents/feed.ts";
import { ANYBODY } from "../../src/slice.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { PaneSockets } from "../../src/http/pane-sockets.ts";
import { Connections } from "../../src/connections/connections.ts";
import { createLog } from "../../src/lib/log.ts";
import { PING_SECONDS } from "../../src/connections/flow-controlled-socket.ts";
import { Presence } from "../../src/push/presence.ts";
import type { Outcome } from "../../src/push/message.ts";
import { StateEncoder } from "../../src/terminal/encode.ts";
import { Hub } from "../../src/terminal/hub.ts";
import { rank } from "../../src/review/rank.ts";
import { agentOf, decisionOf, NOW, workOf } from "../review/works.ts";
import { publication } from "../support/sight.ts";
import { until } from "../support/until.ts";
import { openPushStage, type PushStage } from "./push-stage.ts";

const BUSY: Outcome = { is: "later", detail: "503", afterMs: 0 };
const GONE: Outcome = { is: "gone", detail: "410" };
const asks = { status: "needs_input" } as const;
const works = { status: "working" } as const;

let stage: PushStage;
beforeEach(async () => {
  stage = await openPushStage();
  stage.pass("%1", works);
});
afterEach(() => stage.close());

const busy = (times: number) =>
  stage.replies.push(...Array.from({ length: times }, () => () => BUSY));

test("an alert knows the machine of its pane", async () => {
  await stage.register("/a");
  await stage.passed("%1000001", { ...asks, host: "gpu-1" });
  expect(stage.messages.at(-1)).toMatchObject({
    kind: "pane",
    screen: { pane: { id: "%1000001" }, card: { host: "gpu-1" } },
  });
});

describe("what only an agent's log tells", () => {
  const blocker = { id: "b", title: "stuck", created_at: NOW, source: "runtime_plan" as const };

  test.each([
    ["a decision that no screen shows", { decisions: [decisionOf(1, 1)] }, 1],
    ["a blocker", { changes: { new_blockers: [blocker] } }, 0],
    ["an end", { agent: agentOf(1, { lifecycle: "completed" }) }, 0],
    ["a failure", { agent: agentOf(1, { lifecycle: "error" }) }, 0],
  ])("has a card and alerts nobody: %s", async (_, work, waiting) => {
    const reasons = ["needs_input", "error", "finished"] as const;
    await stage.devices.setPreferences(await stage.register("/a"), { reasons: [...reasons] });
    const changes = { goal_changed: { from: null, to: "ship" } };
    stage.work.groups = rank([workOf(1, { changes, ...work })]);
    stage.pass("%1", works);
    stage.pass("%2", works);
    expect(stage.told()).toEqual([]);
    // The number of the icon counts it all the same.
    await stage.passed("%2", asks);
    expect(stage.messages).toMatchObject([{ kind: "pane", screen: { pane: { id: "%2" } } }]);
    expect(stage.messages[0]?.badge).toBe(waiting + 1);
  });

  test("changes nothing of what the screen of its pane is alerted for", async () => {
    await stage.devices.setPreferences(await stage.register("/a"), { reasons: ["finished"] });
    stage.work.groups = rank([workOf(1, { decisions: [decisionOf(1, 1)] })]);
    await stage.passed("%1", { status: "idle", finished_at: stage.clock.now() });
    expect(stage.messages).toMatchObject([
      { kind: "pane", screen: { need: { section: "finished" } } },
    ]);
  });
});

test("what has finished is alerted while nobody looks, also when no list shows its card any more", async () => {
  const id = await stage.register("/a");
  await stage.devices.setPreferences(id, { reasons: ["finished"], wait_minutes: 120 });
  const finished = { status: "idle", status_since: 5, finished_at: stage.clock.now() } as const;
  stage.pass("%1", finished);
  stage.clock.advance(119 * 60);
  stage.pass("%1", finished);
  expect(stage.sent).toEqual([]);
  stage.clock.advance(61);
  stage.push.reconsider(id);
  await stage.calm();
  expect(stage.sent).toEqual(["pane /a"]);
  await stage.passed("%1", { ...finished, finished_at: null });
  expect(stage.sent).toEqual(["pane /a", "answered /a"]);
});

describe("an alert that fails", () => {
  test("is tried for minutes, then due again five minutes later while its prompt stands", async () => {
    const id = await stage.register("/a");
    busy(4);
    await stage.passed("%1", asks);
    expect(stage.sent).toEqual(Array.from({ length: 4 }, () => "pane /a"));
    expect(stage.told()).toEqual(["%1 failed 503"]);
    stage.clock.advance(299);
    stage.push.reconsider(id);
    await stage.calm();
    expect(stage.sent).toHaveLength(4);
    stage.clock.advance(1);
    stage.push.reconsider(id);
    await stage.calm();
    expect(stage.told()).toEqual(["%1 failed 503", "%1 sent 201"]);
    // It has arrived, and so it vanishes.
    await stage.passed("%1", works);
    expect(stage.sent.at(-1)).toBe("answered /a");
  });

  test("is not tried again while its device looks at it, but when it looks away", async () => {
    const id = await stage.register("/a");
    const resolve = stage.hangs();
    stage.pass("%1", asks);
    stage.presence.note("s", { type: "presence", visible: true, device: id });
    resolve(BUSY);
    await stage.calm();
    stage.push.reconsider(id);
    expect(stage.told()).toEqual(["%1 suppressed gone", "%1 suppressed present"]);
    stage.clock.advance(30);
    stage.presence.note("s", null);
    await stage.calm();
    expect(stage.sent).toEqual(["pane /a", "pane /a"]);
  });

  test("waits while its pane cannot be read, and comes with the pass that reads it again", async () => {
    const id = await stage.register("/a");
    const asking = { ...asks, prompt_since: 5 };
    stage.is.looking = true;
    stage.pass("%1", asking);
    stage.pass("%1", { ...asking, stale: true }, true);
    stage.is.looking = false;
    stage.push.reconsider(id);
    await stage.passed("%2", works);
    expect(stage.sent).toEqual([]);
    await stage.passed("%1", asking);
    expect(stage.sent).toEqual(["pane /a"]);
  });

  test("counts what waits when it is tried, not when it was decided", async () => {
    await stage.register("/a");
    stage.pass("%2", works);
    stage.pass("%2", asks);
    stage.replies.push(() => {
      stage.pass("%2", works);
      return BUSY;
    });
    await stage.passed("%1", asks);
    const alerts = stage.messages.filter(({ kind }) => kind === "pane");
    expect(alerts.map(({ badge }) => badge)).toEqual([1, 2, 1]);
  });

  test("is followed by no Answered: nobody was told of anything", async () => {
    await stage.register("/a");
    const resolve = stage.hangs();
    stage.pass("%1", asks);
    stage.pass("%1", works);
    resolve(BUSY);
    await stage.calm();
    await stage.passed("%1", { status: "idle" });
    expect(stage.sent).toEqual(["pane /a"]);
    expect(stage.told()).toEqual(["%1 suppressed gone"]);
  });

  test("holds back no alert of another pane", async () => {
    await stage.register("/a");
    stage.pass("%2", works);
    const resolve = stage.hangs();
    stage.pass("%1", asks);
    stage.pass("%2", asks);
    expect(stage.sent).toEqual(["pane /a", "pane /a"]);
    resolve(BUSY);
    await stage.calm();
    expect(stage.told()).toEqual(["%2 sent 201", "%1 sent 201"]);
  });

  test("by a fault of this server is seen by the person, in the log and on the device", async () => {
    const id = await stage.register("/a");
    const broken = () => {
      throw new TypeError("no such algorithm");
    };
    stage.replies.push(broken, broken);
    await stage.passed("%1", asks);
    expect(stage.told()).toEqual(["%1 failed an error of this server, told in its log"]);
    expect(stage.devices.require(id).deliveries.last).toMatchObject({ result: "failed" });
    expect(stage.said.join("")).toContain("no such algorithm");
    expect(await stage.push.test(stage.devices.require(id))).toMatchObject({ ok: false });
  });
});

test("a device that registers anew while its old endpoint answers 410 is not gone", async () => {
  const id = await stage.register("/a");
  const resolve = stage.hangs();
  stage.pass("%1", asks);
  expect(await stage.register("/b", id)).toBe(id);
  resolve(GONE);
  await stage.calm();
  expect(stage.devices.require(id).record).toMatchObject({ gone: null });
  stage.clock.advance(300);
  stage.push.reconsider(id);
  await stage.calm();
  expect(stage.sent).toEqual(["pane /a", "pane /b"]);
  stage.replies.push(() => GONE);
  // Whoever asks for the devices with the answer in hand finds it ended.
  await stage.push.test(stage.devices.require(id));
  expect(stage.devices.require(id).record).toMatchObject({ gone: stage.clock.now() });
});

describe("errors of panes", () => {
  const fails = { status: "error" } as const;

  test("are told to others as push.on_error says", async () => {
    await stage.register("/a");
    await stage.passed("%1", fails);
    expect(stage.told()).toEqual(["%1 suppressed reason_off"]);
    await stage.close();
    stage = await openPushStage({ onError: true });
    await stage.register("/a");
    stage.pass("%1", works);
    await stage.passed("%1", fails);
    expect(stage.told()).toEqual(["%1 sent 201"]);
  });
});

test("a device whose push service was taken out of the configuration is sent nothing", async () => {
  await stage.close();
  stage = await openPushStage({ extraHosts: [] });
  const id = await stage.register("/a");
  stage.pass("%1", works);
  await stage.passed("%1", asks);
  expect(stage.told()).toEqual(["%1 suppressed not_configured"]);
  await expect(stage.push.test(stage.devices.require(id))).rejects.toMatchObject({
    kind: "conflict",
    message: expect.stringContaining("push.web_push_hosts"),
  });
});

test("a phone that vanished without a word is alerted when its socket has missed its pings", async () => {
  const id = await stage.register("/a");
  const { clock, presence } = stage;
  const passes = new Hub({ log: createLog(() => {}) });
  const sockets = new PaneSockets({
    events: new AgentFeed(clock),
    hub: passes,
    cardsAt: () => [],
    encoder: new StateEncoder(),
    connections: new Connections({ clock }),
    clock,
    presence: (socket, frame) => presence.note(socket, frame),
  });
  const wire = { send: () => 1, getBufferedAmount: () => 0, ping: () => 1, close: () => {} };
  const query = new URLSearchParams({ mode: "delta" });
  const socket = sockets.accept({ grant: ANYBODY, ip: "::1", ua: "", query })(wire);
  socket?.receive(JSON.stringify({ type: "presence", visible: true, device: id }));
  stage.pass("%1", asks);
  for (let pings = 0; pings < 2; pings++) {
    expect(stage.told()).toEqual(["%1 suppressed present"]);
    clock.advance(PING_SECONDS);
    passes.publish(publication());
  }
  await stage.calm();
  expect(stage.told()).toEqual(["%1 suppressed present", "%1 sent 201"]);
  sockets.stop();
});

test("what a page showed stays held back while it is in sight, also at another pane", async () => {
  const id = await stage.register("/a");
  const frame = { type: "presence", visible: true, device: id } as const;
  stage.presence.note("s", frame);
  stage.pass("%1", asks);
  stage.presence.note("s", { ...frame, pane: "%2" });
  expect(stage.sent).toEqual([]);
  stage.presence.note("s", { ...frame, visible: false });
  await stage.calm();
  expect(stage.sent).toEqual(["pane /a"]);
});

test("a page in sight looks at its pane alone, or at the queue; one out of sight at nothing", () => {
  const presence = new Presence();
  const frame = { type: "presence", visible: true, device: "d" } as const;
  const at = () => ["%1", "%2"].filter((pane) => presence.isPresent("d", pane));
  presence.note("a", { ...frame, pane: "%2" });
  expect(at()).toEqual(["%2"]);
  presence.note("b", frame);
  expect(at()).toEqual(["%1", "%2"]);
  expect(presence.isPresent("another", "%2")).toBe(false);
  presence.note("b", { ...frame, visible: false });
  expect(at()).toEqual(["%2"]);
});

describe("a change of devices that cannot be written", () => {
  const path = () => join(stage.folder, "panewatch-push.json");
  let id: string;
  beforeEach(async () => {
    id = await stage.register("/a");
    await rm(path());
    await mkdir(join(path(), "in the way"), { recursive: true });
  });
  const refused = { kind: "persist_failed", message: "the registered devices cannot be saved" };

  test("is not in force: no device more, none less, no other preferences", async () => {
    const { devices } = stage;
    const registered = () =>
      JSON.stringify(devices.all.map(({ record, preferences }) => [record, preferences]));
    const before = registered();
    await expect(stage.register("/b")).rejects.toMatchObject(refused);
    await expect(stage.register("/b", id)).rejects.toMatchObject(refused);
    await expect(devices.setPreferences(id, { wait_minutes: 5 })).rejects.toMatchObject(refused);
    await expect(devices.remove(id)).rejects.toMatchObject(refused);
    const facts = { token: "ab", name: "", platform: "ios", contextual: true, grant: "anybody" };
    await expect(devices.registerNative(facts)).rejects.toMatchObject(refused);
    stage.replies.push(() => GONE);
    await stage.push.test(devices.require(id));
    await devices.saved();
    expect(registered()).toBe(before);
    expect(devices.count).toBe(1);
    await rm(path(), { recursive: true });
    await devices.setPreferences(id, { wait_minutes: 5 });
    const saved = JSON.parse(await readFile(path(), "utf8"));
    expect(saved.web).toHaveLength(1);
    expect(saved.web[0]).toMatchObject({ preferences: { wait_minutes: 5 }, gone: null });
  });

  test("leaves alerts as they were, and is told once in the log", async () => {
    for (const members of [asks, works, asks, works]) {
      stage.pass("%1", members);
      stage.clock.advance(31);
      await stage.calm();
    }
    expect(stage.sent).toEqual(["pane /a", "answered /a", "pane /a", "answered /a"]);
    const told = stage.said.filter((line) => line.includes("cannot be saved"));
    expect(told.filter((line) => line.includes(" error "))).toHaveLength(1);
  });
});

test("a mute goes with its pane, also where two panes change places", async () => {
  const id = await stage.register("/a");
  await stage.devices.setPreferences(id, { muted: [{ target: "work:1.1", until: null }] });
  const muted = () => stage.devices.require(id).preferences.muted.map(({ target }) => target);
  stage.pass("%2", works);
  stage.pass("%1", { ...works, target: "work:2.1" });
  stage.pass("%2", { ...works, target: "work:1.1" });
  await until(() => muted()[0] === "work:2.1");
  stage.pass("%1", { ...asks, target: "work:2.1" });
  await stage.passed("%2", { ...asks, target: "work:1.1" });
  expect(stage.told()).toEqual(["%1 suppressed muted", "%2 sent 201"]);
});
