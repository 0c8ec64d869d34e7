// Alerts: how long after a prompt appears on the screen the push service has the request.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApnsServer } from "../support/apns-server.ts";
import { startLiveService } from "../support/live-service.ts";
import { signingKey } from "../support/push-keys.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { markdownTable, percentile } from "./figures.ts";

const PROMPTS = 30;

const folder = await mkdtemp(join(tmpdir(), "panewatch-push-bench-"));
try {
  await latencies();
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
