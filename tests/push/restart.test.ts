import { afterEach, beforeEach, expect, test } from "bun:test";
import { Cards } from "../../src/cards/cards.ts";
import { createLog } from "../../src/lib/log.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { Channels } from "../../src/push/channels.ts";
import { Devices } from "../../src/push/devices.ts";
import { Push } from "../../src/push/push.ts";
import { Vapid } from "../../src/push/signing.ts";
import { Hub } from "../../src/terminal/hub.ts";
import { FakeClock } from "../support/clock.ts";
import { pane } from "../support/pane.ts";
import { PushStandIn } from "../support/push-stand-in.ts";
import { Subscriber } from "../support/subscriber.ts";
import { until } from "../support/until.ts";
import { temporary } from "../support/temporary.ts";

const log = createLog(() => {});
const clock = new FakeClock();
const browser = new Subscriber();
let stateDir: string;
let service: PushStandIn;

beforeEach(async () => {
  stateDir = await temporary("restart");
  service = new PushStandIn();
});
afterEach(async () => {
  await service.stop();
});

/** The part as the service opens it, over a hub whose passes are the test's. */
async function open() {
  const hub = new Hub({ log });
  const devices = await Devices.open({
    stateDir,
    configured: new Set(),
    onError: true,
    owner: "anybody",
    clock,
    log,
  });
  const vapid = await Vapid.open(stateDir, { clock, log });
  const cards = new Cards({ hub, groups: () => [] });
  const push = new Push({
    hub,
    devices,
    channels: new Channels({
      apns: null,
      web: {
        vapid,
        contact: () => "mailto:who@example.org",
        extraHosts: [new URL(service.origin).host],
      },
      ntfy: null,
      webhook: null,
    }),
    rules: () => ({ cooldown: 30, dwell: 0 }),
    quotaThreshold: () => 20,
    waiting: () => cards.waiting,
    isPresent: () => false,
    isBatched: () => false,
    clock,
    log,
    pause: async () => {},
  });
  push.start();
  // Made now, so that no write of it outlives the test.
  if (vapid.publicKey !== "") await vapid.saved();
  const pass = (members: Partial<PaneState>, hasFailed = false) => {
    clock.advance(1);
    const state = pane({ id: "%7", ...members });
    const sights = [{ identity: "one", id: "%7", target: state.target, state, isShown: true }];
    hub.publish({
      at: clock.now(),
      panes: [state],
      listed: [],
      lines: new Map(),
      sights,
      hasFailed,
    });
  };
  return { push, devices, pass };
}

const words = () =>
  service.received.map(({ body }) => {
    const message = browser.read(body) as { notification: { body: string; app_badge: string } };
    return `${message.notification.body} ${message.notification.app_badge}`;
  });

test("what was alerted before a restart vanishes once it is handled, and nothing alerts again", async () => {
  const first = await open();
  first.pass({ status: "working" });
  await first.devices.registerWeb({
    subscription: browser.subscription(`${service.origin}/up`),
    name: "Firefox",
    origin: "https://panes.example",
    grant: "anybody",
    preferences: undefined,
    replaces: undefined,
  });
  const asking = { status: "needs_input", prompt_since: 5 } as const;
  first.pass(asking);
  await until(() => service.received[0] ?? null);
  await first.push.stop();

  // Still there after the restart: no news, and no end either.
  const second = await open();
  second.pass(asking, true);
  second.pass({ ...asking, prompt_since: 9 });
  second.pass({ ...asking, prompt_since: 9 });
  await second.push.stop();
  expect(words()).toEqual(["A pane needs your input. 1"]);

  const third = await open();
  third.pass({ status: "working" });
  await until(() => service.received[1] ?? null);
  await third.push.stop();
  expect(words()).toEqual(["A pane needs your input. 1", "Answered. 0"]);

  const fourth = await open();
  fourth.pass({ status: "working" });
  await fourth.push.stop();
  expect(service.received).toHaveLength(2);
});

test("quiet passes ask the push service nothing", async () => {
  const { push, pass } = await open();
  for (let index = 0; index < 50; index++) pass({ status: "working" });
  expect(push.pending).toBe(0);
  await push.stop();
  expect(service.received).toEqual([]);
});

test("a push service that hangs does not hold the end of the service", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  service.replies.push(() => promise);
  const { push, devices, pass } = await open();
  pass({ status: "working" });
  await devices.registerWeb({
    subscription: browser.subscription(`${service.origin}/up`),
    name: "Firefox",
    origin: "https://panes.example",
    grant: "anybody",
    preferences: undefined,
    replaces: undefined,
  });
  pass({ status: "needs_input", prompt_since: 5 });
  await until(() => service.received[0] ?? null);
  await push.stop();
  // Nothing came back, so it is still under way as far as anybody knows.
  expect(push.pending).toBe(1);
  resolve(new Response());
  // What came of it is written down, and no write of it outlives the test.
  await until(() => push.pending === 0 || null);
  await devices.saved();
});
