// What watching costs: passes of the real poller over a private tmux server, for quiet panes and
// for panes that print, against capturing each pane with a process of its own.
import { patternMatcher } from "../support/pattern-worker.ts";
import { createLog } from "../../src/lib/log.ts";
import { run } from "../../src/lib/run.ts";
import { openMux } from "../support/mux.ts";
import { pollerOver, SETTINGS } from "../support/poller.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { cpuOf } from "../support/cpu-seconds.ts";
import { percentile, printTable } from "./figures.ts";

const INTERVAL_SECONDS = 0.7;
const WINDOW_MS = 14_000;
const WARM_UP_MS = 5000;
const CAPTURE_LINES = 200;
const PRINT_EVERY_MS = 250;

const log = createLog(() => {});

/** Panes with as many lines behind them; @returns their ttys. */
async function openPanes(tmux: PrivateTmux, count: number): Promise<string[]> {
  const history = `seq 1 ${CAPTURE_LINES} | sed 's/$/ a line of the history of this pane/'; exec sleep 3600`;
  await tmux.command("new-session", "-d", "-s", "bench", "-x", "120", "-y", "40", history);
  for (let i = 1; i < count; i++) await tmux.command("new-window", "-d", "-t", "bench:", history);
  return (await tmux.command("list-panes", "-a", "-F", "#{pane_tty}")).split("\n");
}

/** A process of its own prints a line in every pane, so that its cost is nobody's here. */
function startPrinter(ttys: readonly string[]) {
  const program = `
    const fs = require("node:fs");
    const files = ${JSON.stringify(ttys)}.map((tty) => fs.openSync(tty, "w"));
    let n = 0;
    setInterval(() => {
      n++;
      for (const file of files) fs.writeSync(file, "line " + n + " of some output that scrolls by\\r\\n");
    }, ${PRINT_EVERY_MS});
  `;
  return Bun.spawn([process.execPath, "-e", program], { stdio: ["ignore", "ignore", "inherit"] });
}

interface Cost {
  /** CPU seconds of us and of the tmux clients that we start. */
  ours: number;
  /** CPU seconds of the tmux server. */
  tmux: number;
  seconds: number;
}

async function measure(server: number, work: () => Promise<void>): Promise<Cost> {
  const [us, them, startedMs] = [cpuOf(process.pid), cpuOf(server), performance.now()];
  await work();
  const [usAfter, themAfter] = [cpuOf(process.pid), cpuOf(server)];
  return {
    ours: usAfter.own - us.own + usAfter.children - us.children,
    tmux: themAfter.own - them.own,
    seconds: (performance.now() - startedMs) / 1000,
  };
}

interface Watched extends Cost {
  passes: number;
  processes: number;
  passMs: number[];
}

async function watch(tmux: PrivateTmux, server: number): Promise<Watched> {
  const provider = await openMux({ socket: tmux.socket, disableAutoRename: true, log });
  let processes = 0;
  const { client } = provider;
  const runClient = client.run.bind(client);
  client.run = (args, options) => {
    processes++;
    return runClient(args, options);
  };
  const passMs: number[] = [];
  let startedMs = 0;
  const list = provider.list.bind(provider);
  provider.list = (signal) => {
    startedMs = performance.now();
    return list(signal);
  };
  const matcher = patternMatcher();
  let interval = INTERVAL_SECONDS / 10;
  const { hub, poller } = pollerOver(provider, {
    matcher,
    settings: () => ({ ...SETTINGS, poll_interval: interval, capture_lines: CAPTURE_LINES }),
  });
  hub.subscribe(() => passMs.push(performance.now() - startedMs));
  poller.start();
  // The first passes are compiled and capture everything once: they are not what watching costs.
  await Bun.sleep(WARM_UP_MS);
  interval = INTERVAL_SECONDS;
  await Bun.sleep(1000);
  processes = 0;
  passMs.length = 0;
  const cost = await measure(server, () => Bun.sleep(WINDOW_MS));
  const watched = { ...cost, passes: passMs.length, processes, passMs };
  await poller.stop();
  matcher.stop();
  return watched;
}

/**
 * One capture process for each pane, all at once; CPU and time of a pass. As rare as the passes that
 * it is held against: what comes once in a while meets cold caches and a processor that has rested.
 */
async function captureEach(tmux: PrivateTmux, server: number) {
  const ids = (await tmux.command("list-panes", "-a", "-F", "#{pane_id}")).split("\n");
  const captureOne = (id: string) =>
    run(
      ["tmux", "-u", "-S", tmux.socket, "capture-pane", "-p", "-e", "-J", "-S", "-160", "-t", id],
      { timeoutMs: 10_000, maxBytes: 1024 * 1024 },
    );
  const rounds = Math.max(5, Math.min(20, Math.ceil(400 / ids.length)));
  const times: number[] = [];
  const cost = await measure(server, async () => {
    for (let round = 0; round < rounds; round++) {
      const startedMs = performance.now();
      await Promise.all(ids.map(captureOne));
      const passMs = performance.now() - startedMs;
      times.push(passMs);
      await Bun.sleep(Math.max(0, INTERVAL_SECONDS * 1000 - passMs));
    }
  });
  return { cpuMs: ((cost.ours + cost.tmux) / rounds) * 1000, passMs: percentile(times, 50) };
}

const rows: string[][] = [];
for (const count of [1, 50, 200]) {
  const tmux = await PrivateTmux.idle();
  try {
    const ttys = await openPanes(tmux, count);
    const server = Number(await tmux.command("display-message", "-p", "#{pid}"));
    const each = await captureEach(tmux, server);
    for (const load of ["quiet", "busy"]) {
      const printer = load === "busy" ? startPrinter(ttys) : null;
      // What tmux spends on the output itself is not the cost of watching it.
      const idle = await measure(server, () => Bun.sleep(3000));
      const seen = await watch(tmux, server);
      printer?.kill();
      const tmuxShare = seen.tmux / seen.seconds - (printer ? idle.tmux / idle.seconds : 0);
      const share = seen.ours / seen.seconds + tmuxShare;
      const cpuMs = (share * seen.seconds * 1000) / seen.passes;
      const passMs = percentile(seen.passMs, 50);
      rows.push([
        `${count} ${load}`,
        (seen.processes / seen.passes).toFixed(2),
        `${cpuMs.toFixed(1)} ms`,
        `${((seen.ours / seen.seconds) * 100).toFixed(2)} + ${(tmuxShare * 100).toFixed(2)} = ${(share * 100).toFixed(2)} %`,
        `${passMs.toFixed(1)} ms (${percentile(seen.passMs, 95).toFixed(1)})`,
        `${each.cpuMs.toFixed(0)} ms / ${each.passMs.toFixed(0)} ms`,
        `${(each.cpuMs / cpuMs).toFixed(1)} / ${(each.passMs / passMs).toFixed(1)}`,
      ]);
    }
  } finally {
    await tmux.stop();
  }
}

process.stdout.write(
  `A pass every ${INTERVAL_SECONDS} s, ${CAPTURE_LINES} lines; busy panes print every ${PRINT_EVERY_MS} ms.\n\n`,
);
const head = [
  ...["panes", "processes per pass", "CPU per pass", "of one core: we + tmux"],
  ...["time of a pass, median (p95)", "a process per pane: CPU / time"],
  "times cheaper: CPU / time",
];
printTable(head, rows);
