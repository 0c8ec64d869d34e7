import type { TerminalUse } from "../../detect/finding.ts";
import type { PaneProcess } from "../provider.ts";

export interface PaneRoot {
  /** Of the process that the pane was made for. */
  pid: number;
  /** The command in the foreground, by the multiplexer. */
  command: string;
}

export interface Processes {
  /** The foreground of a pane, its leader first; empty when unknown. */
  processes(pane: PaneRoot, age: "recent" | "now"): Promise<readonly PaneProcess[]>;
  /** How they use the terminal; null where the kernel does not tell. */
  terminalUse?(pane: PaneRoot, age: "recent" | "now"): Promise<TerminalUse | null>;
}

export type PaneProcesses = readonly PaneProcess[];

export const MAX_DEPTH = 4;
export const MAX_MEMBERS = 8;
const MAX_ARGUMENT_BYTES = 4096;

interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  foreground: number;
  startedAt: number | null;
  args: string[];
}

interface TableSource {
  /** Resolves to the output of PS. */
  read: () => Promise<string>;
  /** How long one table is used: reading it costs a process. */
  agesMs: { now: number; recent: number };
}

/** For machines without a /proc to read: one `ps` for all panes, shared while it is fresh. */
export class ProcessTable implements Processes {
  readonly #source: TableSource;
  #rows: Promise<Map<number, ProcessRow>> | null = null;
  #readAtMs = -Infinity;

  constructor(source: TableSource) {
    this.#source = source;
  }

  async processes({ pid }: Pick<PaneRoot, "pid">, age: "recent" | "now"): Promise<PaneProcesses> {
    const { read, agesMs } = this.#source;
    if (!this.#rows || performance.now() - this.#readAtMs > agesMs[age]) {
      this.#readAtMs = performance.now();
      this.#rows = read().then(parseProcessTable);
    }
    return groupOf(await this.#rows, pid);
  }
}

export const PS = ["ps", "-A", "-ww", "-o", "pid=,ppid=,pgid=,tpgid=,lstart=,command="] as const;

/** `lstart` is five words: `Sun Nov 22 01:24:00 2026`, in local time. */
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+((?:\S+\s+){4}\d{4})\s+(.+)$/;

function parseProcessTable(text: string): Map<number, ProcessRow> {
  const rows = new Map<number, ProcessRow>();
  for (const line of text.split("\n")) {
    const match = PS_LINE.exec(line);
    if (!match) continue;
    const [pid, parent, group, foreground] = match.slice(1, 5).map(Number);
    if (pid === undefined || parent === undefined) continue;
    // `ps` has joined the arguments: one that holds a blank is split.
    const args = (match[6] ?? "").slice(0, MAX_ARGUMENT_BYTES).trim().split(/\s+/);
    const startedMs = Date.parse(match[5] ?? "");
    const startedAt = Number.isNaN(startedMs) ? null : startedMs / 1000;
    rows.set(pid, { pid, parent, group: group ?? 0, foreground: foreground ?? 0, startedAt, args });
  }
  return rows;
}

/** The foreground group: first its leader and what the leader started in its place. */
function groupOf(rows: ReadonlyMap<number, ProcessRow>, panePid: number): PaneProcesses {
  const leader = rows.get(panePid)?.foreground ?? 0;
  const group = rows
    .values()
    .toArray()
    .filter((row) => row.group === leader);
  const chain: ProcessRow[] = [];
  let current = rows.get(leader);
  while (current && !chain.includes(current) && chain.length < MAX_DEPTH) {
    const { pid } = current;
    chain.push(current);
    current = group.find((row) => row.parent === pid);
  }
  const others = group.filter((row) => !chain.includes(row));
  return [...chain, ...others]
    .slice(0, MAX_MEMBERS)
    .map(({ pid, startedAt, args }) => ({ pid, startedAt, args }));
}
