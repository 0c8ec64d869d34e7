import { readFileSync } from "node:fs";
import { run } from "../../lib/run.ts";
import type { PaneProcess } from "../provider.ts";

type Processes = readonly PaneProcess[];

const MAX_DEPTH = 4;
const MAX_ARGUMENT_BYTES = 4096;
/** What was read is good for so long where nobody needs to know what runs now. */
const RECENT_MS = 3000;
/** The table of all processes costs a process of its own: not more often than this. */
const TABLE_MS = 500;
const PS_TIMEOUT_MS = 2000;
const MAX_PS_BYTES = 4 * 1024 * 1024;
/** Linux tells start times in these, whatever the clock of its kernel. */
const TICKS_PER_SECOND = 100;

/** The process that a pane was made for, and what the multiplexer says is in front of it. */
export interface PaneRoot {
  pid: number;
  command: string;
}

interface Known {
  key: string;
  readAtMs: number;
  processes: Processes;
}

/** What runs in the foreground of panes, read again only when that may differ. */
export class Foreground {
  readonly #known = new Map<number, Known>();
  readonly #table = new ProcessTable();

  async read(pane: PaneRoot, age: "recent" | "now"): Promise<Processes> {
    const isLinux = process.platform === "linux";
    const leader = isLinux ? foregroundLeader(pane.pid) : pane.pid;
    if (leader === null) return [];
    const key = `${leader}\0${pane.command}`;
    const known = this.#known.get(pane.pid);
    const nowMs = performance.now();
    if (age === "recent" && known?.key === key && nowMs - known.readAtMs < RECENT_MS)
      return known.processes;
    const processes = isLinux ? readChain(leader) : await this.#table.chain(pane.pid, age);
    this.#known.set(pane.pid, { key, readAtMs: nowMs, processes });
    return processes;
  }

  /** Forgets panes that are no longer listed. */
  keep(roots: readonly Pick<PaneRoot, "pid">[]): void {
    if (this.#known.size <= roots.length) return;
    const pids = new Set(roots.map((root) => root.pid));
    for (const pid of this.#known.keys()) if (!pids.has(pid)) this.#known.delete(pid);
  }
}

/** The leader of the foreground process group of the pane's terminal. */
function foregroundLeader(pid: number): number | null {
  const stat = readStat(pid);
  return stat && stat.foreground > 0 ? stat.foreground : null;
}

// The leader and, inside its own group, the children that it started in its place (npm, npx, sh).
function readChain(leader: number): Processes {
  const chain: PaneProcess[] = [];
  let pid: number | null = leader;
  while (pid !== null && chain.length < MAX_DEPTH) {
    const text = readProc(pid, "cmdline");
    const args = text?.slice(0, MAX_ARGUMENT_BYTES).replace(/\0+$/, "").split("\0");
    if (text && args) chain.push({ pid, startedAt: readStat(pid)?.startedAt ?? null, args });
    pid = childInGroup(pid, leader);
  }
  return chain;
}

function childInGroup(pid: number, group: number): number | null {
  const children = readProc(pid, `task/${pid}/children`)?.trim().split(" ") ?? [];
  for (const child of children.slice(0, 8))
    if (child !== "" && readStat(Number(child))?.group === group) return Number(child);
  return null;
}

interface Stat {
  group: number;
  foreground: number;
  /** Epoch seconds. */
  startedAt: number | null;
}

function readStat(pid: number): Stat | null {
  const text = readProc(pid, "stat");
  if (!text) return null;
  // The name in parentheses may hold blanks and parentheses itself.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const startedAt = BOOTED_AT === null ? null : BOOTED_AT + Number(fields[19]) / TICKS_PER_SECOND;
  return { group: Number(fields[2]), foreground: Number(fields[5]), startedAt };
}

/** Epoch seconds; read once, so that one process has one start time however the clock is set. */
const BOOTED_AT = bootTime();

function bootTime(): number | null {
  const seconds = /^btime (\d+)$/m.exec(readFile("/proc/stat") ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds);
}

function readProc(pid: number, file: string): string | null {
  return readFile(`/proc/${pid}/${file}`);
}

function readFile(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended, or is not ours to look at: unknown, not an error.
    return null;
  }
}

interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  foreground: number;
  startedAt: number | null;
  args: string[];
}

/** Where there is no /proc: one `ps` for all panes, shared while it is fresh. */
class ProcessTable {
  #rows: Promise<Map<number, ProcessRow>> | null = null;
  #readAtMs = -Infinity;

  async chain(panePid: number, age: "recent" | "now"): Promise<Processes> {
    const maxAgeMs = age === "now" ? TABLE_MS : RECENT_MS;
    if (!this.#rows || performance.now() - this.#readAtMs > maxAgeMs) {
      this.#readAtMs = performance.now();
      this.#rows = readProcessTable();
    }
    return chainOf(await this.#rows, panePid);
  }
}

async function readProcessTable(): Promise<Map<number, ProcessRow>> {
  const argv = ["ps", "-A", "-ww", "-o", "pid=,ppid=,pgid=,tpgid=,lstart=,command="];
  // Its dates are words of the locale.
  const env = { ...process.env, LC_ALL: "C" };
  const { stdout } = await run(argv, { timeoutMs: PS_TIMEOUT_MS, maxBytes: MAX_PS_BYTES, env });
  return parseProcessTable(new TextDecoder().decode(stdout));
}

/** `lstart` is five words: `Sun Nov 22 01:24:00 2026`, in local time. */
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+((?:\S+\s+){4}\d{4})\s+(.+)$/;

export function parseProcessTable(text: string): Map<number, ProcessRow> {
  const rows = new Map<number, ProcessRow>();
  for (const line of text.split("\n")) {
    const match = PS_LINE.exec(line);
    if (!match) continue;
    const [pid, parent, group, foreground] = match.slice(1, 5).map(Number);
    if (pid === undefined || parent === undefined) continue;
    // `ps` has already joined the arguments; a blank inside one cannot be told apart.
    const args = (match[6] ?? "").slice(0, MAX_ARGUMENT_BYTES).trim().split(/\s+/);
    const startedMs = Date.parse(match[5] ?? "");
    const startedAt = Number.isNaN(startedMs) ? null : startedMs / 1000;
    rows.set(pid, { pid, parent, group: group ?? 0, foreground: foreground ?? 0, startedAt, args });
  }
  return rows;
}

export function chainOf(rows: ReadonlyMap<number, ProcessRow>, panePid: number): Processes {
  const leader = rows.get(panePid)?.foreground ?? 0;
  const chain: PaneProcess[] = [];
  let current = rows.get(leader);
  while (current && chain.length < MAX_DEPTH) {
    const { pid, args, startedAt } = current;
    chain.push({ pid, startedAt, args });
    current = rows.values().find((row) => row.parent === pid && row.group === leader);
  }
  return chain;
}
