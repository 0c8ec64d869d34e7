import { afterEach, beforeEach, expect, test } from "bun:test";
import { Cards } from "../../src/cards/cards.ts";
import { createLog } from "../../src/lib/log.ts";
import type { ChosenPreferences } from "../../src/protocol/push.ts";
import { Channels } from "../../src/push/channels.ts";
import { Devices } from "../../src/push/devices.ts";
import { Push } from "../../src/push/push.ts";
import { providerToken, Vapid } from "../../src/push/signing.ts";
import { Hub } from "../../src/terminal/hub.ts";
import { ApnsServer } from "../support/apns-server.ts";
import { FakeClock } from "../support/clock.ts";
import { pane } from "../support/pane.ts";
import { signingKey } from "../support/push-keys.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const log = createLog(() => {});
const TARGET = "work:1.1";
let clock: FakeClock;
let stateDir: string;
let apns: ApnsServer;
let push: Push;
let devices: Devices;
let hub: Hub;
let isBatching = false;
let isLooking = false;
/** What happens while a try waits for the next. */
let meanwhile: () => void = () => {};

beforeEach(async () => {
  clock = new FakeClock();
  [isBatching, isLooking] = [false, false];
  meanwhile = () => {};
  stateDir = await temporary("decision");
  apns = await ApnsServer.start();
  hub = new Hub({ log });
  devices = await Devices.open({
    stateDir,
    configured: new Set(),
    onError: true,
    owner: "anybody",
    clock,
    log,
  });
  const vapid = await Vapid.open(stateDir, { clock, log });
  const key = { key: signingKey().privateKey, keyId: "K", teamId: "T" };
  const token = providerToken(key, clock);
  const cards = new Cards({ hub, groups: () => [] });
  push = new Push({
    hub,
    devices,
    channels: new Channels({
      apns: { url: apns.url, topic: "app", token, instanceId: "server", clock },
      web: { vapid, contact: () => null, extraHosts: [] },
      ntfy: null,
      webhook: null,
    }),
    rules: () => ({ cooldown: 30, dwell: 0 }),
    quotaThreshold: () => 20,
    waiting: () => cards.waiting,
    isPresent: () => isLooking,
    isBatched: () => isBatching,
    clock,
    log,
    pause: async () => meanwhile(),
  });
  push.start();
});
afterEach(async () => {
  await push.stop();
  await apns.stop();
});

async function register(preferences: ChosenPreferences = {}): Promise<void> {
  await devices.registerNative({
    token: "ab",
    name: "",
    platform: "ios",
    contextual: true,
    grant: "anybody",
  });
  const [device] = devices.all;
  if (device) await devices.setPreferences(device.id, preferences);
}

function pass(status: "working" | "needs_input"): void {
  clock.advance(1);
  const since = { status_since: clock.now(), prompt_since: clock.now() };
  const state = pane({ id: "%7", target: TARGET, status, ...since });
  const sights = [{ identity: "one", id: "%7", target: TARGET, state, isShown: true }];
  hub.publish({
    ...{ at: clock.now(), panes: [state], listed: [], sights },
    ...{ styles: new Map(), lines: new Map(), hasFailed: false },
  });
}

/** A pane that worked, then asks, and whose question is found to be a decision. */
function ask({ isUrgent = false } = {}): void {
  pass("working");
  pass("needs_input");
  const request = { paneId: "%7", agentId: "agent", decisionId: "decision", revision: 3 };
  push.decision({ ...request, isUrgent });
}

const bodies = () => apns.received.map(({ body }) => JSON.stringify(body));
const decided = () =>
  push.log
    .filter(({ reason }) => reason === "decision")
    .map(({ outcome, why }) => `${outcome} ${why}`);

test("a decision has an alert of its own, in the place of its pane's", async () => {
  await register();
  ask();
  await until(() => (decided().length > 0 && push.pending === 0 ? true : null));
  expect(decided()).toEqual(["sent 200"]);
  const alert = apns.received.find(({ body }) => JSON.stringify(body).includes("decision"));
  expect(alert?.body).toMatchObject({
    aps: { category: "panewatch.agent-decision", "thread-id": "panewatch-agents" },
    panewatch: {
      ...{ type: "decision", server_instance_id: "server", agent_id: "agent" },
      ...{ decision_id: "decision", revision: 3 },
    },
  });
  const tags = new Set(apns.received.map(({ headers }) => headers["apns-collapse-id"]));
  expect(tags.size).toBe(1);
});

const QUIET = { start: "00:00", end: "23:59", time_zone: "UTC", urgent: true };
test.each<[string, ChosenPreferences, string]>([
  ["has muted the pane", { muted: [{ target: TARGET, until: null }] }, "muted"],
  ["waits whether somebody answers", { wait_minutes: 5 }, "wait"],
  ["wants no prompts", { reasons: ["error"] }, "reason_off"],
  ["sleeps", { quiet: QUIET }, "quiet_hours"],
])("who %s is not told of its decision either", async (_, preferences, why) => {
  await register(preferences);
  ask();
  expect(decided()).toEqual([`suppressed ${why}`]);
  expect(bodies()).toEqual([]);
});

test("who looks at it is not told, and nobody while Review collects", async () => {
  await register();
  isLooking = true;
  ask();
  expect(decided()).toEqual(["suppressed present"]);
  [isLooking, isBatching] = [false, true];
  ask();
  expect(decided().at(-1)).toBe("suppressed batching");
  expect(bodies()).toEqual([]);
});

test("an urgent one passes what Review collects, and quiet hours that say so", async () => {
  await register({ quiet: QUIET });
  isBatching = true;
  ask({ isUrgent: true });
  await until(() => (decided().length > 0 ? true : null));
  expect(decided()).toEqual(["sent 200"]);
});

test("one that was answered before it could be sent is not tried again", async () => {
  await register();
  apns.manner = { status: 503 };
  // The alert of the pane gives way to that of the decision, which is tried once.
  meanwhile = () => {
    if (bodies().some((body) => body.includes("agent-decision"))) pass("working");
  };
  ask();
  await until(() => (push.pending === 0 ? true : null));
  expect(bodies().filter((body) => body.includes("agent-decision")).length).toBe(1);
  expect(decided()).toEqual(["suppressed gone"]);
});
