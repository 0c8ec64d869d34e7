import { basename } from "node:path";
import type { TerminalUse } from "../../detect/finding.ts";
import {
  parseArguments,
  parseChildren,
  parseStat,
  type ProcStat,
  readProc,
} from "../../lib/procfs.ts";
import { run } from "../../lib/run.ts";
import type { PaneProcess } from "../provider.ts";
import {
  MAX_DEPTH,
  MAX_MEMBERS,
  type PaneProcesses,
  type PaneRoot,
  type Processes,
  ProcessTable,
  PS,
} from "./process-table.ts";
import { readTerminalUse } from "./terminal-use.ts";

const MAX_CHILDREN = 32;
/** How old a `recent` reading may be. */
const RECENT_MS = 3000;
const PS_LIMITS = { timeoutMs: 2000, maxBytes: 4 * 1024 * 1024 };
const PS_AGES_MS = { now: 500, recent: 3000 };
/** The unit of start times in /proc, whatever the tick of the kernel is. */
const TICKS_PER_SECOND = 100;

interface CachedGroup {
  key: string;
  readAtMs: number;
  processes: PaneProcesses;
}

export const localProcesses = (): Processes =>
  process.platform === "linux"
    ? new Foreground()
    : new ProcessTable({ read: readTable, agesMs: PS_AGES_MS });

/** The foreground of this machine's panes, read from /proc. */
export class Foreground implements Processes {
  readonly #cached = new Map<number, CachedGroup>();

  async processes(pane: PaneRoot, age: "recent" | "now"): Promise<PaneProcesses> {
    const leader = foregroundLeader(pane.pid);
    if (leader === null) return [];
    const key = `${leader}\0${pane.command}`;
    const known = this.#cached.get(pane.pid);
    const nowMs = performance.now();
    if (age === "recent" && known?.key === key && nowMs - known.readAtMs < RECENT_MS)
      return known.processes;
    const processes = readGroup(pane.pid, leader);
    for (const [pid, { readAtMs }] of this.#cached)
      if (nowMs - readAtMs >= RECENT_MS) this.#cached.delete(pid);
    this.#cached.set(pane.pid, { key, readAtMs: nowMs, processes });
    return processes;
  }

  async terminalUse(pane: PaneRoot): Promise<TerminalUse | null> {
    const processes = await this.processes(pane, "recent");
    const wrapped = processes.findIndex(({ args }) => WRAPPER.test(basename(args[0] ?? "")));
    // The program behind a wrapper has a terminal of its own.
    const front = processes.length > wrapped + 1 ? processes.slice(wrapped + 1) : processes;
    const pids = front.map(({ pid }) => pid);
    // A descendant in a session of its own may read the terminal all the same.
    return readTerminalUse([...new Set([...pids, ...pids.flatMap(descendants)])]);
  }
}

function foregroundLeader(pid: number): number | null {
  const stat = readStat(pid);
  return stat && stat.foreground > 0 ? stat.foreground : null;
}

/**
 * The foreground group: first its leader and what the leader started in its place (npm, npx, sh). The
 * first process of a pipeline leads the group and may have ended: the others are then looked for among
 * the descendants of the pane's own process.
 */
function readGroup(root: number, leader: number): PaneProcesses {
  const pids = leaderChain(leader);
  const siblings = leader === root ? [] : childrenOf(readStat(leader)?.parent ?? -1);
  for (const pid of [...siblings, ...(pids.length === 0 ? descendants(root) : [])])
    if (!pids.includes(pid) && readStat(pid)?.group === leader) pids.push(pid);
  const inner = pids.flatMap((pid) => innerPids(pid));
  return [...pids, ...inner].slice(0, MAX_MEMBERS).flatMap((pid) => readProcess(pid) ?? []);
}

function leaderChain(leader: number): number[] {
  const pids: number[] = [];
  let pid: number | undefined = leader;
  while (pid !== undefined && pids.length < MAX_DEPTH && readStat(pid)) {
    pids.push(pid);
    pid = childrenOf(pid).find((child) => readStat(child)?.group === leader);
  }
  return pids;
}

/** Programs that run another one in a terminal of its own and pass its screen through. */
const WRAPPER = /^(?:sudo|sudo-rs|doas|su|run0|script|unbuffer)$/;

/** The foreground of the terminal that a wrapper made for its program. */
function innerPids(pid: number): number[] {
  const outer = readStat(pid);
  if (!outer || !WRAPPER.test(outer.name)) return [];
  return descendants(pid).filter((child) => {
    const stat = readStat(child);
    return stat?.group === stat?.foreground && stat?.terminal !== outer.terminal;
  });
}

/** Nearest first. */
function descendants(root: number): number[] {
  const pids: number[] = [];
  let level = [root];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    level = level.flatMap(childrenOf);
    pids.push(...level);
  }
  return pids;
}

function childrenOf(pid: number): number[] {
  return parseChildren(readProc(`${pid}/task/${pid}/children`)).slice(0, MAX_CHILDREN);
}

function readProcess(pid: number): PaneProcess | null {
  const text = readProc(`${pid}/cmdline`);
  const stat = readStat(pid);
  return text ? { pid, startedAt: stat && startOf(stat), args: parseArguments(text) } : null;
}

function readStat(pid: number): ProcStat | null {
  return parseStat(readProc(`${pid}/stat`));
}

/** Epoch seconds. */
function startOf({ startTicks }: ProcStat): number | null {
  return BOOTED_AT === null ? null : BOOTED_AT + Number(startTicks) / TICKS_PER_SECOND;
}

/** Epoch seconds; read once, so that one process has one start time however the clock is set. */
const BOOTED_AT = bootTime();

function bootTime(): number | null {
  const seconds = /^btime (\d+)$/m.exec(readProc("stat") ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds);
}

async function readTable(): Promise<string> {
  // Dates are printed in the words of the locale.
  const env = { ...process.env, LC_ALL: "C" };
  const { stdout } = await run(PS, { ...PS_LIMITS, env });
  return new TextDecoder().decode(stdout);
}
