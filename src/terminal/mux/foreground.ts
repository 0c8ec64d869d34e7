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
import { LOCAL_PROC, type Proc } from "./proc.ts";
import { terminalUseOf } from "./terminal-use.ts";

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
    const leader = foregroundLeader(LOCAL_PROC, pane.pid);
    if (leader === null) return [];
    const key = `${leader}\0${pane.command}`;
    const known = this.#cached.get(pane.pid);
    const nowMs = performance.now();
    if (age === "recent" && known?.key === key && nowMs - known.readAtMs < RECENT_MS)
      return known.processes;
    const pids = groupOf(LOCAL_PROC, pane.pid, leader);
    const processes = pids.flatMap((each) => readProcess(each) ?? []);
    for (const [pid, { readAtMs }] of this.#cached)
      if (nowMs - readAtMs >= RECENT_MS) this.#cached.delete(pid);
    this.#cached.set(pane.pid, { key, readAtMs: nowMs, processes });
    return processes;
  }

  async terminalUse({ pid }: PaneRoot): Promise<TerminalUse | null> {
    return terminalUse(LOCAL_PROC, pid);
  }
}

/** How the programs in front of a pane use its terminal. */
export function terminalUse(proc: Proc, root: number): TerminalUse | null {
  const leader = foregroundLeader(proc, root);
  const pids = leader === null ? [] : groupOf(proc, root, leader);
  const wrapped = pids.findIndex((pid) => WRAPPER.test(statOf(proc, pid)?.name ?? ""));
  // The program behind a wrapper has a terminal of its own.
  const front = pids.length > wrapped + 1 ? pids.slice(wrapped + 1) : pids;
  // A descendant in a session of its own may read the terminal all the same.
  const below = front.flatMap((pid) => descendants(proc, pid));
  return terminalUseOf(proc, [...new Set([...front, ...below])]);
}

function foregroundLeader(proc: Proc, pid: number): number | null {
  const stat = statOf(proc, pid);
  return stat && stat.foreground > 0 ? stat.foreground : null;
}

/**
 * The foreground group: first its leader and what the leader started in its place (npm, npx, sh). The
 * first process of a pipeline leads the group and may have ended: the others are then looked for among
 * the descendants of the pane's own process.
 */
function groupOf(proc: Proc, root: number, leader: number): number[] {
  const pids = leaderChain(proc, leader);
  const siblings = leader === root ? [] : childrenOf(proc, statOf(proc, leader)?.parent ?? -1);
  for (const pid of [...siblings, ...(pids.length === 0 ? descendants(proc, root) : [])])
    if (!pids.includes(pid) && statOf(proc, pid)?.group === leader) pids.push(pid);
  const inner = pids.flatMap((pid) => innerPids(proc, pid));
  return [...pids, ...inner].slice(0, MAX_MEMBERS);
}

function leaderChain(proc: Proc, leader: number): number[] {
  const pids: number[] = [];
  let pid: number | undefined = leader;
  while (pid !== undefined && pids.length < MAX_DEPTH && statOf(proc, pid)) {
    pids.push(pid);
    pid = childrenOf(proc, pid).find((child) => statOf(proc, child)?.group === leader);
  }
  return pids;
}

/** Programs that run another one in a terminal of its own and pass its screen through. */
const WRAPPER = /^(?:sudo|sudo-rs|doas|su|run0|script|unbuffer)$/;

/** The foreground of the terminal that a wrapper made for its program. */
function innerPids(proc: Proc, pid: number): number[] {
  const outer = statOf(proc, pid);
  if (!outer || !WRAPPER.test(outer.name)) return [];
  return descendants(proc, pid).filter((child) => {
    const stat = statOf(proc, child);
    return stat?.group === stat?.foreground && stat?.terminal !== outer.terminal;
  });
}

/** Nearest first. */
function descendants(proc: Proc, root: number): number[] {
  const pids: number[] = [];
  let level = [root];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    level = level.flatMap((pid) => childrenOf(proc, pid));
    pids.push(...level);
  }
  return pids;
}

function childrenOf(proc: Proc, pid: number): number[] {
  return parseChildren(findText(proc, `${pid}/task/${pid}/children`)).slice(0, MAX_CHILDREN);
}

function statOf(proc: Proc, pid: number): ProcStat | null {
  return parseStat(findText(proc, `${pid}/stat`));
}

function findText(proc: Proc, path: string): string | null {
  try {
    return proc.read(path);
  } catch {
    // It has ended.
    return null;
  }
}

function readProcess(pid: number): PaneProcess | null {
  const text = readProc(`${pid}/cmdline`);
  const stat = statOf(LOCAL_PROC, pid);
  return text ? { pid, startedAt: stat && startOf(stat), args: parseArguments(text) } : null;
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
