// Alerts: how long after a prompt appears on the screen the push service has the request, and what
// following 200 panes for 20 devices costs a pass.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hub } from "../../src/terminal/hub.ts";
import type { PaneSight } from "../../src/terminal/transitions.ts";
import { createLog } from "../../src/lib/log.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Channels } from "../../src/push/channels.ts";
import { Devices } from "../../src/push/devices.ts";
import { Push } from "../../src/push/push.ts";
import { Vapid } from "../../src/push/signing.ts";
import { ApnsServer } from "../support/apns-server.ts";
import { startLiveService } from "../support/live-service.ts";
import { pane } from "../support/pane.ts";
import { signingKey } from "../support/push-keys.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { markdownTable, percentile } from "./figures.ts";

const PROMPTS = 30;
const PANES = 200;
const DEVICES = 20;
const PASSES = 2000;

const folder = await mkdtemp(join(tmpdir(), "panewatch-push-bench-"));
const log = createLog(() => {});
try {
  await latencies();
  await passes();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function latencies(): Promise<void> {
  const rows: string[][] = [];
  for (const interval of [0.2, 0.7]) {
    const took = await latency(interval);
    const ms = (percent: number) => `${Math.round(percentile(took, percent))} ms`;
    rows.push([`${interval} s`, String(took.length), ms(50), ms(90), ms(100)]);
  }
  process.stdout.write(
    "From the prompt on the screen to the request at the native push service:\n\n" +
      markdownTable(["poll_interval", "prompts", "median", "90 %", "longest"], rows),
  );
}

async function latency(interval: number): Promise<number[]> {
  const tmux = await PrivateTmux.start();
  const apns = await ApnsServer.start();
  const key = join(folder, "key.p8");
  await writeFile(key, signingKey().pem);
  const service = await startLiveService({
    tmux,
    flags: {
      poll_interval: interval,
      "discovery.include_shells": true,
      "push.push_key_path": key,
      "push.push_key_id": "KEY",
      "push.push_team_id": "TEAM",
      "push.push_topic": "app",
      "push.apns_url": apns.url,
      "push.cooldown": 0,
    },
  });
  await fetch(`${service.url}/api/push/register`, {
    method: "POST",
    body: JSON.stringify({ token: "ab".repeat(32), name: "bench" }),
  });
  const asker = await tmux.open([
    "sh",
    "-c",
    "stty -echo; while read word; do clear; printf '%s' \"$word\"; done",
  ]);
  await service.publishes(asker);
  const took: number[] = [];
  for (let index = 0; index < PROMPTS; index++) {
    const before = apns.received.length;
    await tmux.command("send-keys", "-t", asker, "working", "Enter");
    // Anywhere in the interval, as prompts come.
    await Bun.sleep(2500 + Math.random() * interval * 1000);
    await tmux.command("send-keys", "-t", asker, `Overwrite ${index}? (y/n)`, "Enter");
    const startedAt = performance.now();
    const arrived = await until(() => apns.received[before] ?? null);
    took.push(arrived.at - startedAt);
  }
  await service.stop();
  await Promise.all([apns.stop(), tmux.stop()]);
  return took;
}

async function passes(): Promise<void> {
  const rows: string[][] = [];
  for (const [changing, name] of [
    [0, "nothing changes"],
    [5, "5 panes begin or end to wait"],
  ] as const) {
    const without = await passTime(changing, false);
    const withPush = await passTime(changing, true);
    const us = (ms: number) => `${(ms * 1000).toFixed(1)} µs`;
    rows.push([name, us(without.ms), us(withPush.ms), `${withPush.heapKb - without.heapKb} KB`]);
  }
  process.stdout.write(
    `\nPublishing a pass of ${PANES} panes, without alerts and for ${DEVICES} devices (median):\n\n` +
      markdownTable(["pass", "without", `${DEVICES} devices`, "heap more"], rows),
  );
}

async function passTime(changing: number, hasPush: boolean) {
  const hub = new Hub({ log });
  const push = hasPush ? await openPush(hub) : null;
  let sights: readonly PaneSight[] = Array.from({ length: PANES }, (_, index) =>
    sight(index, false),
  );
  const took: number[] = [];
  for (let pass = 0; pass < PASSES; pass++) {
    sights = sights.map((one, index) =>
      (index + pass) % PANES < changing
        ? sight(index, one.state.status !== "needs_input", pass)
        : one,
    );
    const panes = sights.map(({ state }) => state);
    const startedAt = performance.now();
    hub.publish({ at: pass, panes, listed: [], lines: new Map(), sights, hasFailed: false });
    took.push(performance.now() - startedAt);
    // What is sent in the background has its turn, as between passes.
    if (pass % 20 === 0) await Bun.sleep(0);
  }
  Bun.gc(true);
  const heapKb = Math.round(process.memoryUsage().heapUsed / 1024);
  await push?.stop();
  return { ms: percentile(took, 50), heapKb };
}

function sight(index: number, waits: boolean, at = 0): PaneSight {
  const state = pane({
    id: `%${index}`,
    status: waits ? "needs_input" : "working",
    prompt_since: waits ? at : null,
  });
  return { identity: String(index), id: state.id, target: state.target, state, isShown: true };
}

/** Everything but the network: a device that takes at once whatever it is sent. */
async function openPush(hub: Hub): Promise<Push> {
  const clock = systemClock;
  const devices = await Devices.open({
    stateDir: folder,
    configured: new Set(),
    onError: true,
    owner: "anybody",
    clock,
    log,
  });
  for (let index = 0; index < DEVICES; index++) {
    const token = index.toString(16).padStart(16, "0");
    await devices.registerNative({
      token,
      name: "bench",
      platform: "ios",
      contextual: true,
      grant: "anybody",
    });
  }
  const channels = new Channels({
    apns: null,
    web: { vapid: await Vapid.open(folder, { clock, log }), contact: () => null, extraHosts: [] },
    ntfy: null,
    webhook: null,
  });
  channels.isConfigured = () => true;
  channels.send = async () => ({ is: "accepted", detail: "200" });
  const push = new Push({
    hub,
    devices,
    channels,
    rules: () => ({ cooldown: 0, dwell: 2 }),
    quotaThreshold: () => 20,
    waiting: () => 0,
    isPresent: () => false,
    isBatched: () => false,
    clock,
    log,
    pause: async () => {},
  });
  push.start();
  return push;
}
