// What other machines cost: answers over links of 40 and 150 ms beside this machine's, and passes over
// ten hosts of 20 panes each, over real ssh, beside the passes over 20 panes of this machine.
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { Link } from "../../src/hosts/link.ts";
import type { TerminalProvider } from "../../src/terminal/provider.ts";
import { sample, startInput } from "../input/service.ts";
import { farProvider, openFarLink, settled, startLink } from "../support/far-link.ts";
import { openMux } from "../support/mux.ts";
import { patternMatcher } from "../support/pattern-worker.ts";
import { pollerOver, SETTINGS } from "../support/poller.ts";
import { SshLab } from "../support/sshd.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { cpuOf } from "../support/cpu-seconds.ts";
import { markdownTable, percentile } from "./figures.ts";
import { openPanes, PRINT_EVERY_MS, startPrinter } from "./printing-panes.ts";

const ROUND_TRIPS_MS = [0, 40, 150];
const ANSWERS = 15;
const HOSTS = 10;
const PANES = 20;
const INTERVAL_SECONDS = 0.7;
const WARM_UP_MS = 8000;
const WINDOW_MS = 14_000;

const say = (text: string) => process.stdout.write(text);

/** From the request to its reply, of dialogs that a pass has shown. */
async function answerMs(tmux: PrivateTmux, provider: TerminalProvider): Promise<number> {
  const ids: string[] = [];
  for (let i = 0; i < ANSWERS; i++) ids.push(await tmux.open(sample("permission")));
  const service = await startInput(tmux, { provider });
  const times: number[] = [];
  for (const id of ids) {
    const { legacy_guard } = await service.published(
      id,
      ({ menu, status }) => menu.length > 0 && status === "needs_input",
    );
    const startedMs = performance.now();
    await service.legacy.select({ id, key: "1", expected: legacy_guard ?? {} });
    times.push(performance.now() - startedMs);
  }
  await service.stop();
  return percentile(times, 50);
}

async function answers(): Promise<void> {
  const rows: string[][] = [];
  for (const roundTripMs of [null, ...ROUND_TRIPS_MS]) {
    const tmux = await PrivateTmux.start();
    const link = roundTripMs === null ? null : await openFarLink(tmux, roundTripMs / 2);
    const provider = link ? farProvider(link) : await openMux(tmux);
    const ms = await answerMs(tmux, provider);
    rows.push([
      roundTripMs === null ? "this machine" : `${roundTripMs} ms`,
      `${ms.toFixed(0)} ms`,
      roundTripMs === null ? "" : `${(ms - roundTripMs).toFixed(0)} ms`,
    ]);
    link?.stop();
    await tmux.stop();
  }
  say(`An option of a dialog that the last pass has shown, ${ANSWERS} times.\n\n`);
  say(markdownTable(["round trip", "accepted, median", "beyond one round trip"], rows));
}

interface Machine {
  provider: TerminalProvider;
  /** Bytes that went there and came back. */
  bytes(): { asked: number; answered: number };
}

interface Cost {
  passes: number;
  ownMs: number;
  sshMs: number;
  asked: number;
  answered: number;
  /** Compressed, there and back. */
  wire: number;
}

/** Per pass of one machine. */
async function watch(machines: readonly Machine[], ssh: () => SshCost): Promise<Cost> {
  const matcher = patternMatcher();
  let passes = 0;
  const settings = { ...SETTINGS, poll_interval: INTERVAL_SECONDS };
  const hub = { publish: () => (passes += 1) };
  const pollers = machines.map(
    ({ provider }) => pollerOver(provider, { hub, matcher, settings: () => settings }).poller,
  );
  for (const poller of pollers) poller.start();
  await Bun.sleep(WARM_UP_MS);
  const sum = (of: "asked" | "answered") =>
    machines.reduce((total, machine) => total + machine.bytes()[of], 0);
  const ownSeconds = () => {
    const { own, children } = cpuOf(process.pid);
    return own + children;
  };
  const now = () => ({
    own: ownSeconds(),
    ...ssh(),
    asked: sum("asked"),
    answered: sum("answered"),
  });
  passes = 0;
  const before = now();
  await Bun.sleep(WINDOW_MS);
  const [after, seen] = [now(), passes];
  await Promise.all(pollers.map((poller) => poller.stop()));
  matcher.stop();
  const per = (of: keyof typeof after) => (after[of] - before[of]) / seen;
  return {
    passes: seen,
    ownMs: per("own") * 1000,
    sshMs: per("seconds") * 1000,
    asked: per("asked"),
    answered: per("answered"),
    wire: per("read") + per("written") - per("asked") - per("answered"),
  };
}

interface SshCost {
  seconds: number;
  /** Read and written: by us as well as by the network. */
  read: number;
  written: number;
}

/** Of all ssh clients of this folder. */
function sshCost(lab: SshLab): SshCost {
  const total = { seconds: 0, read: 0, written: 0 };
  for (const pid of readdirSync("/proc"))
    try {
      const [program = "", ...rest] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      if (!program.endsWith("ssh") || !rest.includes(lab.path("config"))) continue;
      const io = readFileSync(`/proc/${pid}/io`, "utf8");
      total.seconds += cpuOf(Number(pid)).own;
      total.read += Number(/^rchar: (\d+)/m.exec(io)?.[1]);
      total.written += Number(/^wchar: (\d+)/m.exec(io)?.[1]);
    } catch {
      // No process, or one that has ended.
    }
  return total;
}

async function openHost(lab: SshLab, name: string, tmux: PrivateTmux): Promise<Machine> {
  await lab.host(name, { tmux: tmux.folder });
  const [asked, answered] = [lab.path(`${name}.asked`), lab.path(`${name}.answered`)];
  const quoted = lab.command(name).map((word) => `'${word}'`);
  const command = ["sh", "-c", `tee '${asked}' | ${quoted.join(" ")} | tee '${answered}'`];
  const link = startLink(command);
  await settled(link);
  links.push(link);
  const size = (file: string) => statSync(file).size;
  return {
    provider: farProvider(link),
    bytes: () => ({ asked: size(asked), answered: size(answered) }),
  };
}

const links: Link[] = [];

async function passesOfHosts(): Promise<void> {
  const lab = await SshLab.open();
  const tmuxes = await Promise.all(Array.from({ length: HOSTS }, () => PrivateTmux.idle()));
  try {
    const ttys: string[][] = [];
    const machines: Machine[] = [];
    for (const [index, tmux] of tmuxes.entries()) {
      ttys.push(await openPanes(tmux, { count: PANES, lines: 200 }));
      machines.push(await openHost(lab, `host-${index}`, tmux));
    }
    const [first] = tmuxes;
    if (!first) throw new Error("no host");
    const here = { provider: await openMux(first), bytes: () => ({ asked: 0, answered: 0 }) };
    const rows: string[][] = [];
    for (const load of ["quiet", "busy"]) {
      const print = (of: string[][]) => (load === "busy" ? startPrinter(of.flat()) : null);
      const near = print(ttys.slice(0, 1));
      const local = await watch([here], () => ({ seconds: 0, read: 0, written: 0 }));
      near?.kill();
      const printer = print(ttys);
      const far = await watch(machines, () => sshCost(lab));
      printer?.kill();
      for (const [where, cost] of [
        ["this machine", local],
        [`${HOSTS} hosts, each`, far],
      ] as const)
        rows.push([
          `${where}, ${load}`,
          String(cost.passes),
          `${cost.ownMs.toFixed(1)} ms`,
          cost === far ? `${cost.sshMs.toFixed(1)} ms` : "",
          ((cost.ownMs + cost.sshMs) / local.ownMs).toFixed(2),
          cost === far ? `${cost.asked.toFixed(0)} + ${cost.answered.toFixed(0)}` : "",
          cost === far ? cost.wire.toFixed(0) : "",
        ]);
    }
    say(
      `\n${PANES} panes on each machine, a pass every ${INTERVAL_SECONDS} s; busy panes print every ` +
        `${PRINT_EVERY_MS} ms. Our processor time with that of the processes that we start; bytes ` +
        "as we write and read them, and compressed as they travel.\n\n",
    );
    say(
      markdownTable(
        [
          "machine",
          "passes",
          "processor time a pass",
          "of ssh",
          "times this machine's",
          "bytes a pass, there + back",
          "as they travel",
        ],
        rows,
      ),
    );
  } finally {
    for (const link of links) link.stop();
    await lab.stop();
    await Promise.all(tmuxes.map((tmux) => tmux.stop()));
  }
}

await answers();
await passesOfHosts();
