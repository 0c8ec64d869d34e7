// The executable from outside: start, memory, bytes on the sockets, and from an action to the frame
// that shows its effect.
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { percentile, printTable } from "./figures.ts";
import { jsonRequest } from "../support/json.ts";
import { addressOf, EXECUTABLE } from "../support/child.ts";

const PANES = 50;
const STARTS = 11;
const ACTIONS = 120;
const TRAFFIC_SECONDS = 60;
const DEADLINE_MS = 20_000;

const folder = await mkdtemp(join(tmpdir(), "panewatch-bench-"));
const env = { PATH: process.env.PATH ?? "", HOME: folder, TMUX_TMPDIR: folder, LANG: "C.UTF-8" };
try {
  startPanes();
  const starts = await measureStarts();
  const service = await start();
  try {
    const latency = await measureActions(service.url);
    const bytes = await measureTraffic(service.url);
    const memory = mebibytesIn(`/proc/${service.pid}/status`, "VmRSS");
    const own = mebibytesIn(`/proc/${service.pid}/smaps_rollup`, "Private_Dirty");
    const together = sharedOnceMebibytes(service.pid);
    const hour = (count: number) => `${((count * 3600) / TRAFFIC_SECONDS / 1e6).toFixed(2)} MB`;
    printTable(
      ["figure", `${PANES} quiet panes`, "aim"],
      [
        ["start to first answer, median", `${percentile(starts, 50).toFixed(0)} ms`, "< 150 ms"],
        ["`/api/key` to frame, median", `${percentile(latency, 50).toFixed(1)} ms`, "< 40 ms"],
        ["`/api/key` to frame, p99", `${percentile(latency, 99).toFixed(1)} ms`, ""],
        ["plain client, per hour", hour(bytes.plain), ""],
        ["delta client, per hour", hour(bytes.delta), "< 1 MB"],
        ["plain : delta", `${(bytes.plain / bytes.delta).toFixed(0)} : 1`, ""],
        ["resident memory", `${memory.toFixed(0)} MiB`, "< 120 MB"],
        ["of it its own, no page of a file", `${own.toFixed(1)} MiB`, "25 MB"],
        ["with the process for patterns", `${together.toFixed(0)} MiB`, "< 120 MB"],
      ],
    );
  } finally {
    await service.stop();
  }
} finally {
  tmux("kill-server");
  await rm(folder, { recursive: true, force: true });
}

function tmux(...args: string[]): void {
  Bun.spawnSync(["tmux", "-f", "/dev/null", ...args], { env });
}

/** One pane echoes what it is sent; the others stand still. */
function startPanes(): void {
  tmux("new-session", "-d", "-s", "bench", "-x", "120", "-y", "40", "cat");
  for (let index = 1; index < PANES; index += 1)
    tmux("new-window", "-d", "-t", "bench:", "seq 1 200; exec sleep 600");
}

async function start() {
  const child = Bun.spawn([EXECUTABLE, "--port", "0", "--include-shells"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const url = await addressOf(child.stdout);
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  return { url, pid: child.pid, stop };
}

async function measureStarts(): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < STARTS; index += 1) {
    const before = performance.now();
    const service = await start();
    await (await fetch(`${service.url}/api/state`)).json();
    times.push(performance.now() - before);
    await service.stop();
  }
  return times;
}

interface Socket {
  bytes: number;
  /** Resolves with the time of the next frame that the predicate accepts. */
  next(accepts: (frame: string) => boolean): Promise<number>;
  close(): void;
}

async function open(url: string): Promise<Socket> {
  const ws = new WebSocket(url.replace("http", "ws"));
  let waiting: { accepts: (frame: string) => boolean; resolve: (at: number) => void } | null = null;
  const socket: Socket = {
    bytes: 0,
    next: (accepts) => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const timer = setTimeout(() => reject(new Error("no such frame in time")), DEADLINE_MS);
      waiting = {
        accepts,
        resolve(at) {
          clearTimeout(timer);
          resolve(at);
        },
      };
      return promise;
    },
    close: () => ws.close(),
  };
  ws.onmessage = ({ data }) => {
    const frame = String(data);
    socket.bytes += Buffer.byteLength(frame);
    if (!waiting?.accepts(frame)) return;
    const { resolve } = waiting;
    waiting = null;
    resolve(performance.now());
  };
  await new Promise((resolve, reject) => {
    ws.onopen = resolve;
    ws.onerror = () => reject(new Error("the socket did not open"));
  });
  return socket;
}

/** `cat` in a terminal echoes an arrow key as `^[[A`: each press is one visible change. */
async function measureActions(url: string): Promise<number[]> {
  const { panes } = (await (await fetch(`${url}/api/state`)).json()) as {
    panes: { id: string; command: string }[];
  };
  const id = panes.find((pane) => pane.command === "cat")?.id;
  if (!id) throw new Error("the echoing pane is not listed");
  const socket = await open(`${url}/ws?mode=delta`);
  const times: number[] = [];
  const request = jsonRequest("POST", { id, key: "Up" });
  for (let index = 0; index < ACTIONS; index += 1) {
    // Away from the beat of the passes, so that the wake is what is measured.
    await Bun.sleep(60 + ((index * 37) % 400));
    const shown = socket.next((frame) => frame.includes(`"id":"${id}"`));
    const before = performance.now();
    const reply = await fetch(`${url}/api/key`, request);
    if (!reply.ok) throw new Error(`/api/key answered ${reply.status}`);
    times.push((await shown) - before);
  }
  socket.close();
  return times;
}

async function measureTraffic(url: string): Promise<{ plain: number; delta: number }> {
  const plain = await open(`${url}/ws`);
  const delta = await open(`${url}/ws?mode=delta`);
  // The first frames and the echo of the last action are not what an hour is made of.
  await Bun.sleep(5000);
  const before = { plain: plain.bytes, delta: delta.bytes };
  await Bun.sleep(TRAFFIC_SECONDS * 1000);
  const bytes = { plain: plain.bytes - before.plain, delta: delta.bytes - before.delta };
  plain.close();
  delta.close();
  return bytes;
}

/** Of a process and its children; pages that they share are counted once. */
function sharedOnceMebibytes(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  const pids = [String(pid), ...children.filter((child) => child !== "")];
  // A short-lived child may have ended meanwhile.
  const files = pids.map((each) => `/proc/${each}/smaps_rollup`).filter(existsSync);
  return files.reduce((sum, file) => sum + mebibytesIn(file, "Pss"), 0);
}

function mebibytesIn(file: string, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readFileSync(file, "utf8"));
  return Number(line?.[1] ?? Number.NaN) / 1024;
}
