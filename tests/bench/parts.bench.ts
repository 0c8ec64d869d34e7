// Whether the optional parts slow a pass: the time between two states on `/ws`, with all of them
// off, all on, and all at work at once.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAX_IMAGE_BYTES } from "../../src/protocol/images.ts";
import { markdownTable, percentile } from "./figures.ts";

const EXECUTABLE = join(import.meta.dir, "..", "..", "dist", "panewatch");
const PANES = 30;
const INTERVAL_SECONDS = 0.2;
const SETTLE_MS = 2000;
const WINDOW_MS = 15_000;
/** Between two requests of one kind. */
const PAUSE_MS = 100;
const TOKEN = "a-token-for-this-bench-alone";
const JSON_HEADERS = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };

const folder = await mkdtemp(join(tmpdir(), "panewatch-bench-"));
const env = { PATH: process.env.PATH ?? "", HOME: folder, TMUX_TMPDIR: folder, LANG: "C.UTF-8" };
const tmux = (...args: string[]) => Bun.spawnSync(["tmux", "-f", "/dev/null", ...args], { env });
try {
  await prepare();
  const rows = [
    ["off", ...(await measure("off", () => []))],
    ["on", ...(await measure("on", () => []))],
    ["at work: two uploads, creation, browsing, usage, pairing", ...(await measure("on", work))],
  ];
  process.stdout.write(
    markdownTable([`optional parts, ${PANES} panes`, "median", "p95", "longest", "done"], rows),
  );
} finally {
  tmux("kill-server");
  await rm(folder, { recursive: true, force: true });
}

async function prepare(): Promise<void> {
  tmux("new-session", "-d", "-s", "bench", "-x", "120", "-y", "40", "sh");
  for (let index = 1; index < PANES; index += 1)
    tmux("new-window", "-d", "-t", "bench:", "while :; do date; sleep 1; done");
  await mkdir(join(folder, "code"));
  for (let index = 0; index < 1000; index += 1) await mkdir(join(folder, "code", `d${index}`));
  // Prints some megabytes of days, as a collector with a long past would.
  const day = {
    date: "2026-01-01",
    clients: Array.from({ length: 20_000 }, () => ({ client: "a" })),
  };
  await writeFile(join(folder, "days.json"), JSON.stringify({ contributions: [day] }));
  const script = `#!/bin/sh
case $1 in
  graph) cat '${folder}/days.json' ;;
  usage) echo '[]' ;;
  *) echo '{"entries":[]}' ;;
esac
`;
  await writeFile(join(folder, "collector"), script, { mode: 0o755 });
  const shared = { poll_interval: INTERVAL_SECONDS, server: { token: TOKEN } };
  const on = {
    creation: { enabled: true, roots: [{ label: "code", path: join(folder, "code") }] },
    usage: { enabled: true, command: [join(folder, "collector")] },
  };
  await writeConfig("off", shared);
  await writeConfig("on", { ...shared, ...on });
}

/** YAML reads JSON. */
async function writeConfig(name: string, content: object): Promise<void> {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, "panewatch.yaml"), JSON.stringify(content));
}

type Call = (url: string) => Promise<unknown>;

async function measure(config: string, calls: () => Call[]): Promise<string[]> {
  const service = await start(config);
  const stopping = new AbortController();
  const gaps: number[] = [];
  let done = 0;
  try {
    const ws = new WebSocket(`${service.url.replace("http", "ws")}/ws?token=${TOKEN}`);
    await Bun.sleep(SETTLE_MS);
    let before = performance.now();
    ws.onmessage = () => {
      const now = performance.now();
      gaps.push(now - before);
      before = now;
    };
    const loops = calls().map(async (call) => {
      for (; !stopping.signal.aborted; done += 1) {
        await call(service.url);
        await Bun.sleep(PAUSE_MS);
      }
    });
    await Bun.sleep(WINDOW_MS);
    ws.close();
    stopping.abort();
    await Promise.all(loops);
  } finally {
    await service.stop();
  }
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  // The first gap began before the measurement.
  const counted = gaps.slice(1);
  return [
    ms(percentile(counted, 50)),
    ms(percentile(counted, 95)),
    ms(Math.max(...counted)),
    `${done} requests`,
  ];
}

function work(): Call[] {
  const image = new Uint8Array(MAX_IMAGE_BYTES);
  image.set([0xff, 0xd8, 0xff]);
  const upload: Call = async (url) => {
    const headers = { ...JSON_HEADERS, "content-type": "image/jpeg" };
    const reply = await ask(`${url}/api/images`, { method: "POST", body: image, headers });
    await rm(((await reply.json()) as { path: string }).path);
  };
  const create: Call = async (url) => {
    const cwd = join(folder, "code");
    const reply = await post(`${url}/api/mux/create`, {
      type: "window",
      parent_session: "bench",
      cwd,
      runtime: "shell",
      name: null,
    });
    const { pane_id } = (await reply.json()) as { pane_id: string };
    tmux("kill-pane", "-t", pane_id);
  };
  const browse: Call = async (url) => {
    const path = encodeURIComponent(join(folder, "code"));
    await (await ask(`${url}/api/mux/directories?path=${path}`, { headers: JSON_HEADERS })).json();
  };
  const refresh: Call = async (url) => {
    await (await post(`${url}/api/usage/refresh`, { scope: "reports" })).json();
  };
  const pair: Call = async (url) => {
    await (await post(`${url}/api/pair/codes`, {})).json();
  };
  return [upload, upload, create, browse, refresh, pair];
}

function post(url: string, body: object): Promise<Response> {
  return ask(url, { method: "POST", body: JSON.stringify(body), headers: JSON_HEADERS });
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  const reply = await fetch(url, init);
  if (!reply.ok) throw new Error(`${new URL(url).pathname} answered ${reply.status}`);
  return reply;
}

async function start(config: string): Promise<{ url: string; stop(): Promise<void> }> {
  const path = join(folder, config, "panewatch.yaml");
  const child = Bun.spawn([EXECUTABLE, "--config", path, "--port", "0"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  const decoder = new TextDecoder();
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += decoder.decode(chunk, { stream: true });
    const url = /http:\/\/[\w.:[\]-]+/.exec(printed)?.[0];
    if (url) return { url, stop };
  }
  throw new Error("the service printed no address");
}
