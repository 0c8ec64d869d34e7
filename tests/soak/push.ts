// `npm run soak -- push`: alerts under transitions for ten minutes, while the push services are
// slow, hang, refuse and drop. It fails when passes lose their time, when something is sent that is
// of no use any more, when what still was of use never arrived, or when memory grows.
//
//   bun tests/soak/soak.ts push                 600 seconds
//   bun tests/soak/soak.ts push --seconds 60    shorter
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AlertLogReply } from "../../src/protocol/push.ts";
import { ApnsServer, type ApnsReply } from "../support/apns-server.ts";
import { signingKey } from "../support/push-keys.ts";
import { PushStandIn } from "../support/push-stand-in.ts";
import { Subscriber } from "../support/subscriber.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { SoakClients } from "./clients.ts";
import { median, readGauge } from "./gauges.ts";
import { addressOf, FROM_SOURCE } from "../support/child.ts";

const PANES = 12;
const NATIVE_DEVICES = 5;
const WEB_DEVICES = 5;
/** A prompt that was answered is seen gone with the next pass, and what is under way then arrives. */
const GRACE_MS = 2500;
const MAX_GAP_MS = 5000;
const MAX_GROWTH_MIB = 40;

const FAULTS: readonly ApnsReply[] = [
  { status: 200 },
  { status: 200 },
  { status: 429, reason: "TooManyRequests" },
  { status: 500, reason: "InternalServerError" },
  { status: 503, reason: "ServiceUnavailable" },
  "hang",
  "refuse",
  "drop",
  "goaway",
];

/** When each pane waited, so that an alert that comes can be held against it. */
class PromptTimes {
  readonly #spans = new Map<string, { from: number; to: number | null }[]>();

  begin(id: string): void {
    const spans = this.#spans.get(id) ?? [];
    this.#spans.set(id, [...spans.slice(-20), { from: performance.now(), to: null }]);
  }

  end(id: string): void {
    const last = this.#spans.get(id)?.at(-1);
    if (last) last.to ??= performance.now();
  }

  waited(id: string, at: number): boolean {
    const spans = this.#spans.get(id) ?? [];
    return spans.some(({ from, to }) => at >= from && (to === null || at <= to + GRACE_MS));
  }
}

/** @returns what went wrong */
export async function soakPush(seconds: number): Promise<string[]> {
  const tmux = await PrivateTmux.start();
  const apns = await ApnsServer.start();
  const web = new PushStandIn();
  const config = await writeConfig(tmux, apns.url, web.origin);
  const service = Bun.spawn([...FROM_SOURCE, "--port", "0", "--config", config], {
    env: { ...tmux.env, HOME: tmux.folder },
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    return await run({ seconds, tmux, apns, web, service });
  } finally {
    service.kill("SIGKILL");
    await service.exited;
    await Promise.all([apns.stop(), web.stop(), tmux.stop()]);
  }
}

async function writeConfig(tmux: PrivateTmux, apnsUrl: string, webOrigin: string) {
  const key = join(tmux.folder, "key.p8");
  await writeFile(key, signingKey().pem);
  const config = join(tmux.folder, "config.yaml");
  const lines = [
    "discovery: { include_shells: true }",
    "push:",
    `  push_key_path: ${key}`,
    "  push_key_id: KEY",
    "  push_team_id: TEAM",
    "  push_topic: com.example.app",
    `  apns_url: ${apnsUrl}`,
    `  web_push_hosts: ["${new URL(webOrigin).host}"]`,
    "  contact: mailto:who@example.org",
    "  cooldown: 5",
    "  dwell: 1",
  ];
  await writeFile(config, `${lines.join("\n")}\n`);
  return config;
}

interface Stage {
  seconds: number;
  tmux: PrivateTmux;
  apns: ApnsServer;
  web: PushStandIn;
  service: Bun.Subprocess<"ignore", "pipe", "ignore">;
}

async function run({ seconds, tmux, apns, web, service }: Stage): Promise<string[]> {
  const url = await addressOf(service.stdout);
  const post = (path: string, body: unknown) =>
    fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) });
  for (let index = 0; index < NATIVE_DEVICES; index++)
    await post("/api/push/register", { token: `${index}`.padStart(16, "0"), name: `n${index}` });
  for (let index = 0; index < WEB_DEVICES; index++) {
    const subscription = new Subscriber().subscription(`${web.origin}/up/${index}`);
    await post("/api/push/web/register", { subscription, name: `w${index}` });
  }
  const promptTimes = new PromptTimes();
  const panes = await Promise.all(Array.from({ length: PANES }, () => openAsker(tmux)));
  await Bun.sleep(2000);

  const clients = new SoakClients(url);
  clients.watch();
  const startedAtMs = performance.now();
  const resident: number[] = [];
  let late = 0;
  let looked = 0;
  let prompts = 0;
  while (performance.now() - startedAtMs < seconds * 1000) {
    apns.reply = oneOf(FAULTS);
    web.replies.push(() => webFault());
    const id = oneOf(panes);
    if (Math.random() < 0.5) {
      prompts++;
      await say(tmux, id, `Overwrite ${prompts}? (y/n)`);
      promptTimes.begin(id);
    } else {
      await say(tmux, id, "working");
      promptTimes.end(id);
    }
    for (; looked < apns.received.length; looked++) {
      const { body, at } = apns.received[looked] ?? { body: {}, at: 0 };
      if (!promptTimes.waited(paneOf(body), at)) late++;
    }
    resident.push(readGauge({ pid: service.pid, state: tmux.folder, startedAtMs }).residentMib);
    await Bun.sleep(100 + Math.random() * 300);
  }
  const gapMs = clients.longestGapMs;

  // All is well again: what waits now is told to every native device.
  apns.reply = { status: 200 };
  web.replies.length = 0;
  for (const id of panes) await say(tmux, id, "working");
  await Bun.sleep(45_000);
  const before = apns.received.length;
  for (const id of panes) await say(tmux, id, "Overwrite at last? (y/n)");
  const wanted = PANES * NATIVE_DEVICES;
  const arrived = () => {
    const told = apns.received.slice(before);
    return new Set(told.map(({ path, body }) => `${path} ${paneOf(body)}`)).size;
  };
  const isWhole = await until(() => arrived() >= wanted, 60_000).catch(() => false);
  await clients.closeAll();

  const { log } = AlertLogReply.parse(await (await fetch(`${url}/api/push/log`)).json());
  const fifth = Math.ceil(resident.length / 5);
  const growth = median(resident.slice(-fifth)) - median(resident.slice(fifth, 2 * fifth));
  process.stdout.write(
    `${seconds} s, ${prompts} prompts, ${apns.received.length} native requests on ` +
      `${apns.connections} connections, ${web.received.length} to browsers; longest gap between ` +
      `passes ${Math.round(gapMs)} ms, memory ${growth.toFixed(1)} MiB more, ` +
      `${late} of no use, ${arrived()} of ${wanted} at the end, ${log.length} lines of the log\n`,
  );
  const failures: string[] = [];
  if (gapMs > MAX_GAP_MS) failures.push(`passes stopped for ${Math.round(gapMs)} ms`);
  if (late > 0) failures.push(`${late} alerts came after their prompt was gone`);
  if (isWhole !== true) failures.push(`${arrived()} of ${wanted} alerts came at the end`);
  if (growth > MAX_GROWTH_MIB) failures.push(`memory grew by ${growth.toFixed(1)} MiB`);
  return failures;
}

function openAsker(tmux: PrivateTmux): Promise<string> {
  // A line without an end at which the program reads is a question, whatever it says.
  const say = `case $word in working) echo "$word";; *) printf '%s' "$word";; esac`;
  const script = `stty -echo; while read word; do clear; ${say}; done`;
  return tmux.open(["sh", "-c", script]);
}

async function say(tmux: PrivateTmux, id: string, words: string): Promise<void> {
  await tmux.command("send-keys", "-t", id, words, "Enter");
}

async function webFault(): Promise<Response> {
  const status = oneOf([201, 201, 201, 429, 500, 503]);
  await Bun.sleep(oneOf([0, 0, 500, 12_000]));
  return new Response(null, { status });
}

function paneOf(body: Record<string, unknown>): string {
  const { panewatch } = body;
  const id: unknown =
    typeof panewatch === "object" && panewatch !== null ? Reflect.get(panewatch, "id") : "";
  return String(id);
}

function oneOf<T>(values: readonly T[]): T {
  const chosen = values[Math.floor(Math.random() * values.length)];
  if (chosen === undefined) throw new Error("nothing to choose from");
  return chosen;
}
