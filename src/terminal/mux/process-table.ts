import { basename } from "node:path";
import type { TerminalUse } from "../../detect/finding.ts";
import type { PaneProcess } from "../provider.ts";
import { foregroundGroup, type ProcessTree } from "./process-tree.ts";

export type PaneProcesses = readonly PaneProcess[];

/** Each pane is named by the process that it was made for. */
export interface Processes {
  /** The foreground of a pane, its leader first; empty when unknown. */
  processes(root: number, age: "recent" | "now"): Promise<PaneProcesses>;
  /** How they use the terminal; null where the kernel does not tell. @throws Error */
  terminalUse?(root: number, age: "recent" | "now"): Promise<TerminalUse | null>;
}

const MAX_ARGUMENT_BYTES = 4096;

interface ProcessRow extends PaneProcess {
  parent: number;
  group: number;
  foreground: number;
}

interface TableTree extends ProcessTree {
  process(pid: number): PaneProcess | null;
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
  #tree: Promise<TableTree> | null = null;
  #readAtMs = -Infinity;

  constructor(source: TableSource) {
    this.#source = source;
  }

  async processes(root: number, age: "recent" | "now"): Promise<PaneProcesses> {
    const { read, agesMs } = this.#source;
    if (!this.#tree || performance.now() - this.#readAtMs > agesMs[age]) {
      this.#readAtMs = performance.now();
      this.#tree = read().then((text) => treeOfRows(parseRows(text)));
    }
    const tree = await this.#tree;
    return foregroundGroup(tree, root).flatMap((pid) => tree.process(pid) ?? []);
  }
}

export const PS = ["ps", "-A", "-ww", "-o", "pid=,ppid=,pgid=,tpgid=,lstart=,command="] as const;

/** `lstart` is `Sun Nov 22 01:24:00 2026`, in local time. Arguments may hold other line ends. */
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+((?:\S+\s+){4}\d{4})\s+([^]+)$/;

function parseRows(text: string): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const line of text.split("\n")) {
    const match = PS_LINE.exec(line);
    if (!match) continue;
    const [pid = 0, parent = 0, group = 0, foreground = 0] = match.slice(1, 5).map(Number);
    // `ps` has joined the arguments: one that holds a blank is split.
    const args = (match[6] ?? "").slice(0, MAX_ARGUMENT_BYTES).trim().split(/\s+/);
    const startedMs = Date.parse(match[5] ?? "");
    const startedAt = Number.isNaN(startedMs) ? null : startedMs / 1000;
    rows.push({ pid, parent, group, foreground, startedAt, args });
  }
  return rows;
}

function treeOfRows(rows: readonly ProcessRow[]): TableTree {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const byParent = Map.groupBy(rows, ({ parent }) => parent);
  return {
    stat(pid) {
      const row = byPid.get(pid);
      // Two terminals never have the same foreground group.
      return row ? { ...row, name: basename(row.args[0] ?? ""), terminal: row.foreground } : null;
    },
    children: (pid) => (byParent.get(pid) ?? []).map((child) => child.pid),
    process(pid) {
      const row = byPid.get(pid);
      return row ? { pid, startedAt: row.startedAt, args: row.args } : null;
    },
  };
}
