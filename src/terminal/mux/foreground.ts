import { readFileSync } from "node:fs";
import { run } from "../../lib/run.ts";
import type { ListedPane } from "../provider.ts";

type Arguments = readonly (readonly string[])[];

const MAX_DEPTH = 4;
const MAX_ARGUMENT_BYTES = 4096;
/** A launcher's child may come later than the launcher: look again after this time. */
const FRESH_MS = 3000;
const PS_TIMEOUT_MS = 2000;
const MAX_PS_BYTES = 4 * 1024 * 1024;

interface Known {
  key: string;
  readAtMs: number;
  processes: Arguments;
}

/** Argument lists of what runs in the foreground of panes, read again only when that may differ. */
export class Foreground {
  readonly #known = new Map<number, Known>();
  readonly #table = new ProcessTable();

  async read(pane: Pick<ListedPane, "pid" | "command">): Promise<Arguments> {
    const leader = process.platform === "linux" ? foregroundLeader(pane.pid) : pane.pid;
    if (leader === null) return [];
    const key = `${leader}\0${pane.command}`;
    const known = this.#known.get(pane.pid);
    const nowMs = performance.now();
    if (known?.key === key && nowMs - known.readAtMs < FRESH_MS) return known.processes;
    const processes =
      process.platform === "linux" ? readChain(leader) : await this.#table.chain(pane.pid);
    this.#known.set(pane.pid, { key, readAtMs: nowMs, processes });
    return processes;
  }

  /** Forgets panes that are no longer listed. */
  keep(panes: readonly Pick<ListedPane, "pid">[]): void {
    if (this.#known.size <= panes.length) return;
    const pids = new Set(panes.map((pane) => pane.pid));
    for (const pid of this.#known.keys()) if (!pids.has(pid)) this.#known.delete(pid);
  }
}

/** The leader of the foreground process group of the pane's terminal. */
function foregroundLeader(pid: number): number | null {
  const stat = readStat(pid);
  return stat && stat.foreground > 0 ? stat.foreground : null;
}

// The leader and, inside its own group, the children that it started in its place (npm, npx, sh).
function readChain(leader: number): Arguments {
  const chain: string[][] = [];
  let pid: number | null = leader;
  while (pid !== null && chain.length < MAX_DEPTH) {
    const text = readProc(pid, "cmdline");
    if (text) chain.push(text.slice(0, MAX_ARGUMENT_BYTES).replace(/\0+$/, "").split("\0"));
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

function readStat(pid: number): { group: number; foreground: number } | null {
  const text = readProc(pid, "stat");
  if (!text) return null;
  // The name in parentheses may hold blanks and parentheses itself.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { group: Number(fields[2]), foreground: Number(fields[5]) };
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
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
  args: string[];
}

/** Where there is no /proc: one `ps` for all panes, shared while it is fresh. */
class ProcessTable {
  #rows: Promise<Map<number, ProcessRow>> | null = null;
  #readAtMs = -Infinity;

  async chain(panePid: number): Promise<Arguments> {
    if (!this.#rows || performance.now() - this.#readAtMs > FRESH_MS) {
      this.#readAtMs = performance.now();
      this.#rows = readProcessTable();
    }
    return chainOf(await this.#rows, panePid);
  }
}

async function readProcessTable(): Promise<Map<number, ProcessRow>> {
  const argv = ["ps", "-A", "-ww", "-o", "pid=,ppid=,pgid=,tpgid=,command="];
  const { stdout } = await run(argv, { timeoutMs: PS_TIMEOUT_MS, maxBytes: MAX_PS_BYTES });
  return parseProcessTable(new TextDecoder().decode(stdout));
}

export function parseProcessTable(text: string): Map<number, ProcessRow> {
  const rows = new Map<number, ProcessRow>();
  for (const line of text.split("\n")) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(.+)$/.exec(line);
    if (!match) continue;
    const [pid, parent, group, foreground] = match.slice(1, 5).map(Number);
    if (pid === undefined || parent === undefined) continue;
    // `ps` has already joined the arguments; a blank inside one cannot be told apart.
    const args = (match[5] ?? "").slice(0, MAX_ARGUMENT_BYTES).trim().split(/\s+/);
    rows.set(pid, { pid, parent, group: group ?? 0, foreground: foreground ?? 0, args });
  }
  return rows;
}

export function chainOf(rows: ReadonlyMap<number, ProcessRow>, panePid: number): Arguments {
  const leader = rows.get(panePid)?.foreground ?? 0;
  const chain: string[][] = [];
  let current = rows.get(leader);
  while (current && chain.length < MAX_DEPTH) {
    chain.push(current.args);
    const { pid } = current;
    current = rows.values().find((row) => row.parent === pid && row.group === leader);
  }
  return chain;
}
