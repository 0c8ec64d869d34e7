// `npm run soak`: the real service under load for ten minutes, watched from outside.
//
//   bun tests/soak/soak.ts                 600 seconds
//   bun tests/soak/soak.ts --seconds 60    shorter; below a minute with half of the panes
//   bun tests/soak/soak.ts push            alerts, under push services that fail
//
// 60 panes print, ask and die; agents' logs grow and are read; sockets come and go and one never
// reads; keys and texts are sent; the tmux server is killed and started again. It fails when memory
// is not flat, when descriptors or children stay behind, or when passes stop.
import { join } from "node:path";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { SoakAgents } from "./agents.ts";
import { SoakActions, SoakClients } from "./clients.ts";
import { SoakFleet } from "./fleet.ts";
import { added, median, readGauge, slownessOf, type Gauge } from "./gauges.ts";
import { addressOf } from "../support/child.ts";
import { PANEWATCH } from "../support/program.ts";

const DEFAULT_SECONDS = 600;
/** Most of the processor goes to the panes' own programs: below a minute there are half as many. */
const PANES = { whole: 60, short: 30 };
const SHORT_SECONDS = 60;
const QUIET_SECONDS = 4;
const RESTART_EVERY_SECONDS = 20;
const STOP_DEADLINE_MS = 10_000;
const POLL_SECONDS = 0.7;

/** Growth between the second and the last fifth of the load; the first fifth warms up. */
const MAX_GROWTH = 0.15;
const MAX_GROWTH_MIB = 12;
/** A machine that is slower than this is still warming up in the second fifth of half a minute. */
const WARM_BY_SLOWNESS = 5;
const MAX_RESIDENT_MIB = 250;
/** The worker and idle connections come late; one leak for each pass or action would be many more. */
const MAX_EXTRA_DESCRIPTORS = 5;
const MAX_GAP_SECONDS = 10;
/**
 * 30 s without reading, after what the kernel takes for it is full: some 4 MB, which are minutes of
 * this fleet's frames.
 */
const MAX_STALL_SECONDS = 300;
const FIFTHS = [1, 2, 3, 4, 5] as const;

if (process.platform !== "linux") {
  process.stderr.write("soak: reads /proc, so it runs on Linux only\n");
  process.exit(2);
}
const [part, ...rest] = process.argv.slice(2);
if (part === "push") {
  const { soakPush } = await import("./push.ts");
  const found = await soakPush(secondsOf(rest));
  for (const failure of found) process.stderr.write(`soak: ${failure}\n`);
  process.exit(found.length === 0 ? 0 : 1);
}
const seconds = secondsOf(process.argv.slice(2));
const panes = seconds < SHORT_SECONDS ? PANES.short : PANES.whole;
const tmux = await PrivateTmux.start({ width: 120, height: 40 });
const agents = new SoakAgents(tmux);
await agents.write();
const STATE = join(tmux.folder, ".panewatch");
const service = startService();
let failures: string[];
try {
  failures = await soak();
} finally {
  service.kill("SIGKILL");
  await tmux.stop();
}
for (const failure of failures) process.stderr.write(`soak: ${failure}\n`);
process.exit(failures.length === 0 ? 0 : 1);

function secondsOf(args: string[]): number {
  const [flag, value] = args;
  if (flag === undefined) return DEFAULT_SECONDS;
  const wanted = Number(value);
  if (flag === "--seconds" && wanted >= 20) return wanted;
  process.stderr.write("soak: usage: soak.ts [push] [--seconds N], N at least 20\n");
  process.exit(2);
}

function startService() {
  return Bun.spawn([...PANEWATCH, "--port", "0"], {
    env: { ...tmux.env, HOME: tmux.folder },
    stdio: ["ignore", "pipe", Bun.file(join(tmux.folder, "service.log"))],
  });
}

async function soak(): Promise<string[]> {
  const url = await addressOf(service.stdout).catch(async (cause: unknown) => {
    throw new Error(`the service did not start: ${await logOf()}`, { cause });
  });
  const startedAtMs = performance.now();
  const gauge = () => readGauge({ pid: service.pid, state: STATE, startedAtMs });
  const fleet = new SoakFleet(tmux, panes);
  const clients = new SoakClients(url);
  const actions = new SoakActions(url);
  await agents.switchOn(url);
  await agents.fill();
  await fleet.fill(false);
  const before = await atRest(gauge);

  clients.watch();
  const gauges: Gauge[] = [];
  let ids = await fleet.ids();
  const endMs = performance.now() + seconds * 1000;
  const loops = [
    every(1000, endMs, async () => void gauges.push(gauge())),
    every(100, endMs, () => actions.act(ids)),
    every(1000, endMs, () => agents.talk()),
    every(250, endMs, () => agents.read(url)),
    every(50, endMs, () => clients.ask()),
    every(700, endMs, async () => clients.churn()),
    every(2000, endMs, () => clients.stall()),
    every(1500, endMs, async (turn) => {
      if (turn % Math.round(RESTART_EVERY_SECONDS / 1.5) === 5) await fleet.restartServer();
      await fleet.killSome();
      await agents.fill();
      await fleet.fill(true);
      ids = await fleet.ids();
    }),
  ];
  await Promise.all(loops);

  const passes = clients.frames;
  const goesOn = await until(() => clients.frames > passes || null).catch(() => false);
  await clients.closeAll();
  await fleet.restartServer();
  await fleet.fill(false);
  const after = await atRest(gauge);
  const slowness = slownessOf(service.pid);
  service.kill("SIGTERM");
  const exit = await Promise.race([service.exited, Bun.sleep(STOP_DEADLINE_MS * slowness)]);
  const result = { gauges, before, after, clients, actions, passes, goesOn, slowness };
  report({ ...result, fleet });
  return judge({ ...result, exit: exit ?? null });
}

function logOf(): Promise<string> {
  return Bun.file(join(tmux.folder, "service.log")).text();
}

/** The least of some seconds without load: what passes need comes and goes. */
async function atRest(gauge: () => Gauge): Promise<Gauge> {
  const seen: Gauge[] = [];
  await Bun.sleep(1500);
  for (let i = 0; i < QUIET_SECONDS * 10; i++) {
    await Bun.sleep(100);
    seen.push(gauge());
  }
  const least = (of: (one: Gauge) => number) => Math.min(...seen.map(of));
  return {
    atSeconds: seen.at(-1)?.atSeconds ?? 0,
    residentMib: median(seen.map((one) => one.residentMib)),
    ownMib: median(seen.map((one) => one.ownMib)),
    storeMib: seen.at(-1)?.storeMib ?? 0,
    descriptors: fewest(seen.map((one) => one.descriptors)),
    children: least((one) => one.children),
    zombies: least((one) => one.zombies),
  };
}

function fewest(lists: readonly (readonly string[])[]): readonly string[] {
  return lists.reduce((best, one) => (one.length < best.length ? one : best));
}

async function every(
  periodMs: number,
  untilMs: number,
  work: (turn: number) => Promise<void>,
): Promise<void> {
  for (let turn = 0; performance.now() < untilMs; turn++) {
    const startedMs = performance.now();
    await work(turn);
    await Bun.sleep(Math.max(0, periodMs - (performance.now() - startedMs)));
  }
}

interface Result {
  gauges: readonly Gauge[];
  before: Gauge;
  after: Gauge;
  clients: SoakClients;
  actions: SoakActions;
  passes: number;
  /** A pass came after the load, however long that had taken. */
  goesOn: boolean;
  /** As `slownessOf`. */
  slowness: number;
}

/** What was seen in this fifth of the time, sorted. */
function fifth<T>(all: readonly T[], number: number, of: (one: T) => number): number[] {
  const size = Math.floor(all.length / 5);
  const part = all.slice((number - 1) * size, number === 5 ? undefined : number * size);
  return part.map(of).toSorted((a, b) => a - b);
}

/** In the middle of each fifth of the time; the part is 0.99 for p99. */
function byFifths<T>(all: readonly T[], of: (one: T) => number, part = 0.5): string {
  const at = (sorted: readonly number[]) => sorted[Math.floor((sorted.length - 1) * part)];
  return FIFTHS.map((number) => (at(fifth(all, number, of)) ?? Number.NaN).toFixed(1)).join(", ");
}

function report({
  gauges,
  before,
  after,
  clients,
  actions,
  fleet,
  passes,
  slowness,
}: Result & { fleet: SoakFleet }) {
  const most = (of: (one: Gauge) => number) => Math.max(...gauges.map(of));
  const answers = [...actions.answers].sort().map(([status, count]) => `${status}: ${count}`);
  const fifths = (of: (one: Gauge) => number) => byFifths(gauges, of);
  const waits = (part: number) => byFifths(clients.waitsMs, (ms) => ms, part);
  const reads = [...agents.answers].sort().map(([what, count]) => `${what}: ${count}`);
  process.stdout.write(
    [
      `${seconds} s, ${panes} panes (${fleet.opened} opened), tmux restarted ${fleet.restarts} times`,
      `passes ${passes}, longest time without one ${(clients.longestGapMs / 1000).toFixed(1)} s, on a machine slower by ${slowness.toFixed(1)}`,
      `actions ${actions.sent} (${answers.join(", ")})`,
      `sockets ${clients.connected}, stalled ones given up ${clients.stallsEnded}, after ${clients.longestStall.toFixed(0)} s at most`,
      `turns of agents ${agents.turns}, reads ${agents.reads} (${reads.join(", ")})`,
      "by fifths of the time:",
      `  resident, MiB: ${fifths((one) => one.residentMib)}; most ${most((one) => one.residentMib).toFixed(0)}`,
      `  of it its own, MiB: ${fifths((one) => one.ownMib)}; most ${most((one) => one.ownMib).toFixed(0)}`,
      `  stores, MiB: ${fifths((one) => one.storeMib)}`,
      `  descriptors: ${fifths((one) => one.descriptors.length)}`,
      `  children: ${fifths((one) => one.children)}`,
      `  reply of a small request, ms: median ${waits(0.5)}; p99 ${waits(0.99)}; longest ${waits(1)}`,
      `descriptors at rest ${before.descriptors.length} -> ${after.descriptors.length}, most ${most((one) => one.descriptors.length)}`,
      `children at rest ${before.children} -> ${after.children}, most ${most((one) => one.children)}`,
      "",
    ].join("\n"),
  );
}

function judge(result: Result & { exit: number | null }): string[] {
  const { gauges, before, after, clients, actions, passes, goesOn, slowness, exit } = result;
  const residentIn = (number: number) => median(fifth(gauges, number, (one) => one.residentMib));
  const [early, late] = [residentIn(2), residentIn(5)];
  const most = Math.max(...gauges.map((one) => one.residentMib));
  const strange = [...actions.answers.keys()].filter((status) => status >= 500 && status !== 503);
  const unread = [...agents.answers.keys()].filter((read) => / 5\d\d$/.test(read));
  const mayGrow = Math.max(early * MAX_GROWTH, MAX_GROWTH_MIB);
  const checks: readonly (readonly [boolean, string])[] = [
    [
      late - early <= mayGrow * Math.max(1, slowness / WARM_BY_SLOWNESS),
      `memory grew from ${early.toFixed(0)} to ${late.toFixed(0)} MiB`,
    ],
    [most <= MAX_RESIDENT_MIB, `memory reached ${most.toFixed(0)} MiB`],
    [
      after.descriptors.length <= before.descriptors.length + MAX_EXTRA_DESCRIPTORS,
      `descriptors went from ${before.descriptors.length} to ${after.descriptors.length}: ${added(before.descriptors, after.descriptors)}`,
    ],
    [
      after.children <= before.children,
      `children went from ${before.children} to ${after.children}`,
    ],
    [after.zombies === 0, `${after.zombies} children were never waited for`],
    [goesOn, "no pass came any more"],
    [
      passes >= ((seconds / POLL_SECONDS) * 0.5) / slowness,
      `only ${passes} passes in ${seconds} s`,
    ],
    [
      clients.longestGapMs <= MAX_GAP_SECONDS * 1000 * slowness,
      `no pass for ${(clients.longestGapMs / 1000).toFixed(1)} s`,
    ],
    [
      clients.longestStall <= MAX_STALL_SECONDS,
      `a client that does not read was kept for ${clients.longestStall.toFixed(0)} s`,
    ],
    [
      clients.stallsEnded > 0 || seconds <= MAX_STALL_SECONDS,
      "a client that does not read was never given up",
    ],
    [strange.length === 0, `actions were answered with ${strange.join(", ")}`],
    [unread.length === 0, `reads of the workspace failed: ${unread.join(", ")}`],
    [exit === 0, exit === null ? "the service did not end" : `the service ended with ${exit}`],
  ];
  return checks.flatMap(([holds, failure]) => (holds ? [] : [failure]));
}
