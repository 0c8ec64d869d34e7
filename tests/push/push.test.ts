import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Outcome } from "../../src/push/message.ts";
import { rank } from "../../src/agents/review/rank.ts";
import { HostState } from "../../src/protocol/hosts.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import type { ChosenPreferences } from "../../src/protocol/push.ts";
import { UsageQuota } from "../../src/protocol/usage.ts";
import { ANYBODY } from "../../src/slice.ts";
import type { PublicationOrigin } from "../../src/terminal/hub.ts";
import { agentOf, decisionOf, NOW, uuid, workOf } from "../review/works.ts";
import { FakeClock } from "../support/clock.ts";
import { fixture } from "../support/fixture.ts";
import { listedSight, pane, publication } from "../support/pane.ts";
import { until } from "../support/until.ts";
import { openPushStage, type PushStage } from "./push-stage.ts";
import { nativeFacts } from "./stage.ts";

const BUSY: Outcome = { is: "later", detail: "503", afterMs: 0 };
const GONE: Outcome = { is: "gone", detail: "410" };
const asks = { status: "needs_input" } as const;
const works = { status: "working" } as const;
const asking = { ...asks, prompt_since: 5 };

let stage: PushStage;
beforeEach(async () => {
  stage = await openPushStage();
  stage.pass("%1", works);
});
afterEach(() => stage.close());

const busy = (times: number) =>
  stage.replies.push(...Array.from({ length: times }, () => () => BUSY));

describe("a card from the log of an agent alone", () => {
  const blocker = { id: "b", title: "stuck", created_at: NOW, source: "runtime_plan" as const };

  test.each([
    ["a decision that no screen shows", { decisions: [decisionOf(1, 1)] }, 1],
    ["a blocker", { changes: { new_blockers: [blocker] } }, 0],
    ["a completed agent", { agent: agentOf(1, { lifecycle: "completed" }) }, 0],
    ["a failed agent", { agent: agentOf(1, { lifecycle: "error" }) }, 0],
  ])("sends no alert, and counts in the badge only if it waits: %s", async (_, work, waiting) => {
    const reasons = ["needs_input", "error", "finished"] as const;
    await stage.devices.setPreferences(await stage.register("/a"), { reasons: [...reasons] });
    const changes = { goal_changed: { from: null, to: "ship" } };
    stage.work.groups = rank([workOf(1, { changes, ...work })]);
    stage.pass("%1", works);
    stage.pass("%2", works);
    expect(stage.logged()).toEqual([]);
    // The badge counts a waiting card all the same.
    await stage.passAndSettle("%2", asks);
    expect(stage.messages).toMatchObject([{ kind: "pane", screen: { pane: { id: "%2" } } }]);
    expect(stage.messages[0]?.badge).toBe(waiting + 1);
  });
});

test("a finished pane is alerted after the device's wait, also when its card is listed no more", async () => {
  const id = await stage.register("/a");
  await stage.devices.setPreferences(id, { reasons: ["finished"], wait_minutes: 120 });
  const finished = { status: "idle", status_since: 5, finished_at: stage.clock.now() } as const;
  stage.pass("%1", finished);
  stage.clock.advance(119 * 60);
  stage.pass("%1", finished);
  expect(stage.sent).toEqual([]);
  stage.clock.advance(61);
  stage.push.reconsider(id);
  await stage.settle();
  expect(stage.sent).toEqual(["pane /a"]);
  await stage.passAndSettle("%1", { ...finished, finished_at: null });
  expect(stage.sent).toEqual(["pane /a", "answered /a"]);
});

test("an alert that waits is sent once its time has come, without another pass", async () => {
  await stage.close();
  stage = await openPushStage({ dwell: 0.01 });
  await stage.register("/a");
  stage.pass("%1", works);
  stage.pass("%1", asks);
  expect(stage.sent).toEqual([]);
  stage.clock.advance(1);
  await until(() => stage.sent.length > 0);
  expect(stage.sent).toEqual(["pane /a"]);
});

test("a quota that falls below the threshold is alerted once", async () => {
  const { element } = UsageQuota.shape.metrics;
  const note = async (remaining_percent: number) => {
    stage.push.noteQuotas([
      fixture(UsageQuota, { metrics: [fixture(element, { remaining_percent })] }),
    ]);
    await stage.settle();
  };
  await stage.register("/a");
  await note(30);
  expect(stage.sent).toEqual([]);
  await note(19);
  await note(18);
  expect(stage.sent).toEqual(["quota /a"]);
});

test("a device whose grant has ended is not alerted", async () => {
  await stage.register("/a");
  await stage.passAndSettle("%1", asks);
  await stage.devices.keepOnly((grant) => grant !== "anybody");
  await stage.passAndSettle("%2", asks);
  expect(stage.devices.notices).toHaveLength(1);
  await stage.passAndSettle("%1", works);
  expect(stage.sent).toEqual(["pane /a"]);
  expect(stage.devices.notices).toEqual([]);
});

describe("an alert that fails", () => {
  test("is tried four times, then is due again five minutes later while its prompt stands", async () => {
    const id = await stage.register("/a");
    busy(4);
    await stage.passAndSettle("%1", asks);
    expect(stage.sent).toEqual(Array.from({ length: 4 }, () => "pane /a"));
    expect(stage.logged()).toEqual(["%1 failed 503"]);
    stage.clock.advance(299);
    stage.push.reconsider(id);
    await stage.settle();
    expect(stage.sent).toHaveLength(4);
    stage.clock.advance(1);
    stage.push.reconsider(id);
    await stage.settle();
    expect(stage.logged()).toEqual(["%1 failed 503", "%1 sent 201"]);
    // The alert has arrived, so it is withdrawn.
    await stage.passAndSettle("%1", works);
    expect(stage.sent.at(-1)).toBe("answered /a");
  });

  test("is not tried again while its device has a visible page, but once it has none", async () => {
    const id = await stage.register("/a");
    const resolve = stage.hangs();
    stage.pass("%1", asks);
    stage.push.notePage("s", { type: "presence", visible: true, device: id }, ANYBODY);
    resolve(BUSY);
    await stage.settle();
    stage.push.reconsider(id);
    expect(stage.logged()).toEqual(["%1 suppressed gone", "%1 suppressed present"]);
    stage.clock.advance(30);
    stage.push.notePage("s", null, ANYBODY);
    await stage.settle();
    expect(stage.sent).toEqual(["pane /a", "pane /a"]);
  });

  test("has the badge of the moment in which it is tried", async () => {
    await stage.register("/a");
    stage.pass("%2", works);
    stage.pass("%2", asks);
    stage.replies.push(() => {
      stage.pass("%2", works);
      return BUSY;
    });
    await stage.passAndSettle("%1", asks);
    const alerts = stage.messages.filter(({ kind }) => kind === "pane");
    expect(alerts.map(({ badge }) => badge)).toEqual([1, 2, 1]);
  });

  test("is not followed by an answered message", async () => {
    await stage.register("/a");
    const resolve = stage.hangs();
    stage.pass("%1", asks);
    stage.pass("%1", works);
    resolve(BUSY);
    await stage.settle();
    await stage.passAndSettle("%1", { status: "idle" });
    expect(stage.sent).toEqual(["pane /a"]);
    expect(stage.logged()).toEqual(["%1 suppressed gone"]);
  });

  test("through a fault of this server is reported in the log and on the device", async () => {
    const id = await stage.register("/a");
    const broken = () => {
      throw new TypeError("no such algorithm");
    };
    stage.replies.push(broken, broken);
    await stage.passAndSettle("%1", asks);
    expect(stage.logged()).toEqual(["%1 failed an error of this server, told in its log"]);
    expect(stage.devices.require(id)).toMatchObject({ last: { result: "failed" } });
    expect(stage.logLines.join("")).toContain("no such algorithm");
    expect(await stage.push.test(stage.devices.require(id))).toMatchObject({ ok: false });
  });
});

test("a failed pass and a failed capture end no alert", async () => {
  await stage.register("/a");
  await stage.passAndSettle("%1", asking);
  await stage.passAndSettle("%1", { ...asking, stale: true });
  stage.hub.publish(publication({ at: stage.clock.now(), panes: [], hasFailed: true }));
  await stage.settle();
  expect(stage.sent).toEqual(["pane /a"]);
});

test("a device that registers anew while its old endpoint answers 410 is not gone", async () => {
  const id = await stage.register("/a");
  const resolve = stage.hangs();
  stage.pass("%1", asks);
  expect(await stage.register("/b", id)).toBe(id);
  resolve(GONE);
  await stage.settle();
  expect(stage.devices.require(id)).toMatchObject({ gone: null });
  stage.clock.advance(300);
  stage.push.reconsider(id);
  await stage.settle();
  expect(stage.sent).toEqual(["pane /a", "pane /b"]);
  stage.replies.push(() => GONE);
  // Once the test is answered, the device is listed as gone.
  await stage.push.test(stage.devices.require(id));
  expect(stage.devices.require(id)).toMatchObject({ gone: stage.clock.now() });
});

test("a device that registers anew is alerted of a prompt that began while it had no endpoint", async () => {
  const id = await stage.register("/a");
  stage.replies.push(() => GONE);
  await stage.push.test(stage.devices.require(id));
  stage.pass("%1", works);
  await stage.passAndSettle("%1", asking);
  expect(stage.sent).toEqual(["test /a"]);
  expect(await stage.register("/b", id)).toBe(id);
  stage.push.reconsider(id);
  await stage.settle();
  expect(stage.sent).toEqual(["test /a", "pane /b"]);
});

test("a device whose push service is no longer configured gets no alert, and its test is refused", async () => {
  await stage.close();
  stage = await openPushStage({ extraHosts: [] });
  const id = await stage.register("/a");
  stage.pass("%1", works);
  await stage.passAndSettle("%1", asks);
  expect(stage.logged()).toEqual(["%1 suppressed not_configured"]);
  await expect(stage.push.test(stage.devices.require(id))).rejects.toMatchObject({
    kind: "conflict",
    message: expect.stringContaining("push.web_push_hosts"),
  });
});

test("an alert held back for a visible page is sent when the page is hidden, not when it shows another pane", async () => {
  const id = await stage.register("/a");
  const frame = { type: "presence", visible: true, device: id } as const;
  stage.push.notePage("s", frame, ANYBODY);
  stage.pass("%1", asks);
  stage.push.notePage("s", { ...frame, pane: "%2" }, ANYBODY);
  expect(stage.sent).toEqual([]);
  stage.push.notePage("s", { ...frame, visible: false }, ANYBODY);
  await stage.settle();
  expect(stage.sent).toEqual(["pane /a"]);
});

test("a visible page holds back alerts of its pane, or all of them on the queue; a hidden page none", async () => {
  const frame = { type: "presence", visible: true, device: await stage.register("/a") } as const;
  await stage.register("/b");
  const alertsOf = async (id: string) => {
    stage.pass(id, works);
    await stage.passAndSettle(id, asks);
    return stage.sent.splice(0).toSorted();
  };
  stage.push.notePage("a", { ...frame, pane: "%2" }, ANYBODY);
  expect(await alertsOf("%2")).toEqual(["pane /b"]);
  expect(await alertsOf("%3")).toEqual(["pane /a", "pane /b"]);
  stage.push.notePage("b", frame, ANYBODY);
  expect(await alertsOf("%4")).toEqual(["pane /b"]);
  stage.push.notePage("b", { ...frame, visible: false }, ANYBODY);
  expect(await alertsOf("%5")).toEqual(["pane /a", "pane /b"]);
});

describe("a change of devices that cannot be saved", () => {
  const path = () => join(stage.folder, "panewatch-push.json");
  let id: string;
  beforeEach(async () => {
    id = await stage.register("/a");
    await rm(path());
    await mkdir(join(path(), "in the way"), { recursive: true });
  });
  const refused = { kind: "persist_failed", message: "the registered devices cannot be saved" };

  test("is not in force: devices and preferences stay as they were", async () => {
    const { devices } = stage;
    const registered = () => JSON.stringify(devices.all);
    const before = registered();
    await expect(stage.register("/b")).rejects.toMatchObject(refused);
    await expect(stage.register("/b", id)).rejects.toMatchObject(refused);
    await expect(devices.setPreferences(id, { wait_minutes: 5 })).rejects.toMatchObject(refused);
    await expect(devices.remove(id)).rejects.toMatchObject(refused);
    await expect(devices.register(nativeFacts("ab"))).rejects.toMatchObject(refused);
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

  test("does not stop alerts, and is one error in the log", async () => {
    for (const members of [asks, works, asks, works]) {
      stage.pass("%1", members);
      stage.clock.advance(31);
      await stage.settle();
    }
    expect(stage.sent).toEqual(["pane /a", "answered /a", "pane /a", "answered /a"]);
    const failures = stage.logLines.filter((line) => line.includes("cannot be saved"));
    expect(failures.filter((line) => line.includes(" error "))).toHaveLength(1);
  });
});

test("a mute follows its pane to another target, also when two panes change places", async () => {
  const id = await stage.register("/a");
  await stage.devices.setPreferences(id, { muted: [{ target: "work:1.1", until: null }] });
  const muted = () => stage.devices.require(id).preferences.muted.map(({ target }) => target);
  stage.pass("%2", works);
  stage.pass("%1", { ...works, target: "work:2.1" });
  stage.pass("%2", { ...works, target: "work:1.1" });
  await until(() => muted()[0] === "work:2.1");
  stage.pass("%1", { ...asks, target: "work:2.1" });
  await stage.passAndSettle("%2", { ...asks, target: "work:1.1" });
  expect(stage.logged()).toEqual(["%1 suppressed muted", "%2 sent 201"]);
});

test("an alert for a pane of a remote machine stands while that is away, over a restart until it is read", async () => {
  const clock = new FakeClock();
  const hostsOf = (status: HostState["status"]): HostState[] => [
    fixture(HostState, { name: "here", kind: "local", watch: true, status: "live" }),
    fixture(HostState, { name: "gpu-1", kind: "ssh", watch: true, status }),
  ];
  const state = pane({ id: "%1000001", ...asking, host: "gpu-1" });
  const passOf = (
    stage: PushStage,
    machine: string | null,
    panes: readonly PaneState[],
    hasFailed = false,
  ) => {
    const hosts = hostsOf(machine === null || hasFailed ? "connecting" : "live");
    stage.hub.publish(publication({ at: clock.now(), panes, hasFailed }), { machine, hosts });
  };
  const first = await openPushStage({ clock });
  const again = () => openPushStage({ clock, folder: first.folder });
  await first.register("/a");
  passOf(first, null, []);
  passOf(first, "gpu-1", [{ ...state, ...works, prompt_since: null }]);
  passOf(first, "gpu-1", [state]);
  await first.settle();
  // The machine goes and comes back: its pane has not changed.
  passOf(first, "gpu-1", [{ ...state, stale: true }], true);
  passOf(first, null, []);
  passOf(first, "gpu-1", [state]);
  await first.settle();
  await first.close();
  expect(first.messages).toMatchObject([
    { kind: "pane", screen: { pane: { id: "%1000001" }, card: { host: "gpu-1" } } },
  ]);

  const second = await again();
  passOf(second, null, []);
  passOf(second, null, []);
  expect(second.sent).toEqual([]);
  passOf(second, "gpu-1", [state]);
  passOf(second, null, []);
  await second.close();
  expect(second.sent).toEqual([]);

  const third = await again();
  passOf(third, "gpu-1", []);
  expect(third.sent).toEqual([]);
  passOf(third, null, []);
  await third.settle();
  await third.close();
  expect(third.messages).toMatchObject([{ kind: "answered", paneId: "%1000001" }]);
});

test("an alert for a pane of a paused machine is withdrawn, at once and after a restart", async () => {
  const clock = new FakeClock();
  const hosts = (watch: boolean): HostState[] => [
    fixture(HostState, { name: "here", kind: "local", watch: true, status: "live" }),
    fixture(HostState, { name: "gpu-1", kind: "ssh", watch, status: watch ? "live" : "off" }),
  ];
  const state = pane({ id: "%1000001", ...asking, host: "gpu-1" });
  const shown = { machine: "gpu-1", hosts: hosts(true) };
  const publish = ({ hub }: PushStage, panes: readonly PaneState[], origin: PublicationOrigin) => {
    const sights = panes.map((each) => listedSight(each, { identity: "1!%1" }));
    hub.publish(publication({ at: clock.now(), panes, sights }), origin);
  };
  const first = await openPushStage({ clock });
  await first.register("/a");
  const alert = async (stage: PushStage) => {
    publish(stage, [], { machine: null, hosts: hosts(true) });
    publish(stage, [{ ...state, ...works, prompt_since: null }], shown);
    publish(stage, [state], shown);
    clock.advance(31);
    publish(stage, [], { machine: null, hosts: hosts(true) });
    await stage.settle();
  };
  await alert(first);
  first.hub.leave("gpu-1", { at: clock.now(), hosts: hosts(false) });
  await first.settle();
  expect(first.sent).toEqual(["pane /a", "answered /a"]);
  clock.advance(60);
  await alert(first);
  await first.close();

  const second = await openPushStage({ clock, folder: first.folder });
  publish(second, [], { machine: null, hosts: hosts(false) });
  await second.settle();
  await second.close();
  expect(second.sent).toEqual(["answered /a"]);
});

test("closing push waits until the devices are written", async () => {
  const written = Promise.withResolvers<void>();
  using _ = spyOn(stage.devices, "close").mockReturnValue(written.promise);
  const seen: string[] = [];
  const closed = stage.close().then(() => seen.push("closed"));
  await setImmediate();
  seen.push("written");
  written.resolve();
  await closed;
  expect(seen).toEqual(["written", "closed"]);
});

test("closing push does not wait for a push service that hangs", async () => {
  const resolve = stage.hangs();
  await stage.register("/a");
  stage.pass("%1", asking);
  await stage.close();
  // Without an answer the message is still under way.
  expect(stage.push.pending).toBe(1);
  resolve({ is: "accepted", detail: "201" });
  // No write may outlive the test.
  await until(() => stage.push.pending === 0);
  await stage.devices.saved();
});

describe("the alert for a decision", () => {
  async function register(preferences: ChosenPreferences = {}): Promise<void> {
    await stage.devices.register(nativeFacts("ab"));
    const [device] = stage.devices.all;
    if (device) await stage.devices.setPreferences(device.id, preferences);
  }

  /** A pane works, then asks, and its question turns out to be a decision. */
  function ask({ isUrgent = false } = {}): void {
    stage.pass("%7", { status: "working" });
    stage.pass("%7", { status: "needs_input" });
    const priority = isUrgent ? "critical" : "normal";
    stage.push.noteDecision(decisionOf(2, 3, { revision: 3, priority }), "%7");
  }

  const decided = () =>
    stage.push.log
      .filter(({ reason }) => reason === "decision")
      .map(({ outcome, why }) => `${outcome} ${why}`);

  test("replaces the alert of its pane", async () => {
    await register();
    ask();
    await stage.settle();
    expect(decided()).toEqual(["sent 201"]);
    expect(stage.messages.at(-1)).toMatchObject({
      kind: "decision",
      decision: { id: uuid(2003), revision: 3 },
    });
    expect(new Set(stage.messages.map(({ tag }) => tag)).size).toBe(1);
  });

  const QUIET = { start: "00:00", end: "23:59", time_zone: "UTC", urgent: true };
  test.each<[string, ChosenPreferences, string]>([
    ["has muted the pane", { muted: [{ target: "work:1.7", until: null }] }, "muted"],
    ["waits whether somebody answers", { wait_minutes: 5 }, "wait"],
  ])("is not sent to a device that %s", async (_, preferences, why) => {
    await register(preferences);
    ask();
    expect(decided()).toEqual([`suppressed ${why}`]);
    expect(stage.sent).toEqual([]);
  });

  test("of urgent priority is sent past the batching of the review and in quiet hours that allow it", async () => {
    await register({ quiet: QUIET });
    stage.options.isBatching = true;
    ask({ isUrgent: true });
    await stage.settle();
    expect(decided()).toEqual(["sent 201"]);
  });

  test("is not tried again once the decision is answered", async () => {
    await register();
    // The decision replaces the alert of the pane, and is attempted once.
    stage.replies.push(
      () => BUSY,
      () => {
        stage.pass("%7", { status: "working" });
        return BUSY;
      },
    );
    ask();
    await stage.settle();
    expect(stage.messages.map(({ kind }) => kind)).toEqual(["pane", "decision"]);
    expect(decided()).toEqual(["suppressed gone"]);
  });
});
