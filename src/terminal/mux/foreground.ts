import type { TerminalUse } from "../../detect/finding.ts";
import { parseArguments, parseStat, readProc } from "../../lib/procfs.ts";
import { run } from "../../lib/run.ts";
import type { PaneProcess } from "../provider.ts";
import { LOCAL_PROC } from "./proc.ts";
import { type PaneProcesses, type Processes, ProcessTable, PS } from "./process-table.ts";
import { foregroundGroup, foregroundLeader, treeOf } from "./process-tree.ts";
import { terminalUse } from "./terminal-use.ts";

/** How old a `recent` reading may be. */
const RECENT_MS = 3000;
const PS_LIMITS = { timeoutMs: 2000, maxBytes: 4 * 1024 * 1024 };
const PS_AGES_MS = { now: 500, recent: 3000 };
/** The unit of start times in /proc, whatever the tick of the kernel is. */
const TICKS_PER_SECOND = 100;
const TREE = treeOf(LOCAL_PROC);

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

  async processes(root: number, age: "recent" | "now"): Promise<PaneProcesses> {
    const leader = foregroundLeader(TREE, root);
    if (leader === null) return [];
    const key = `${leader} ${TREE.stat(leader)?.name}`;
    const known = this.#cached.get(root);
    const nowMs = performance.now();
    if (age === "recent" && known?.key === key && nowMs - known.readAtMs < RECENT_MS)
      return known.processes;
    const processes = foregroundGroup(TREE, root).flatMap((pid) => readProcess(pid) ?? []);
    for (const [pid, { readAtMs }] of this.#cached)
      if (nowMs - readAtMs >= RECENT_MS) this.#cached.delete(pid);
    this.#cached.set(root, { key, readAtMs: nowMs, processes });
    return processes;
  }

  async terminalUse(root: number): Promise<TerminalUse | null> {
    return terminalUse(LOCAL_PROC, root);
  }
}

function readProcess(pid: number): PaneProcess | null {
  const text = readProc(`${pid}/cmdline`);
  const ticks = parseStat(readProc(`${pid}/stat`))?.startTicks;
  const startedAt =
    ticks === undefined || BOOTED_AT === null ? null : BOOTED_AT + Number(ticks) / TICKS_PER_SECOND;
  return text ? { pid, startedAt, args: parseArguments(text) } : null;
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
