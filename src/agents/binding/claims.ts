import type { AgentRuntime } from "../../protocol/agents.ts";

export interface ProcessFacts {
  pid: number;
  parent: number;
  args: readonly string[];
  /** Field 22 of Linux' stat, which tells a process from a later one of its number; else null. */
  startTicks: string | null;
  /** Epoch seconds; null when unknown. */
  startedAt: number | null;
  cwd: string | null;
  /** Paths that it holds open; empty where the system does not tell. */
  openFiles: readonly string[];
}

/** What a runtime's own status file of one process says. */
export interface StatusFile {
  pid: number;
  procStart: string | null;
  /** Epoch seconds; null when it does not say. */
  startedAt: number | null;
  sessionId: string;
  status: "idle" | "busy" | "waiting" | null;
}

export interface PaneClaims {
  /** The process names its session by itself: nothing else in this pane can be another's. */
  status: StatusFile | null;
  /** Sessions whose log, lock or folder a process of this pane holds open by itself. */
  held: readonly string[];
  /** The session that the process was started to go on with; it may have moved on. */
  startedWith: string | null;
  forkedFrom: string | null;
}

const ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const WHOLE_ID = new RegExp(`^${ID}$`);
const HELD: Record<AgentRuntime, RegExp> = {
  agent_a: new RegExp(`/claude-\\d+/[^/]+/(${ID})/tasks$`),
  agent_b: new RegExp(
    `/(?:sessions/.*/rollout-[\\dT-]+?-(${ID})(?:_[^/]*)?\\.jsonl|thread-writer-locks/(${ID})\\.lock)$`,
  ),
};
/** A status file's own clock against the system's, where there are no ticks to compare. */
const START_SLACK_SECONDS = 30;

/** The processes below a pane that can speak for it: a daemon that all panes share cannot. */
export function ownProcesses(processes: readonly ProcessFacts[]): ProcessFacts[] {
  const daemons = new Set<number>();
  // The list is in no order: go on until no child of a daemon is left.
  for (let size = -1; size !== daemons.size;) {
    size = daemons.size;
    for (const { pid, parent, args } of processes)
      if (args.includes("app-server") || daemons.has(parent)) daemons.add(pid);
  }
  return processes.filter(({ pid }) => !daemons.has(pid));
}

/**
 * What the processes of a pane prove. `statusFiles` may hold those of processes that have ended or
 * whose number another has now: they prove nothing.
 */
export function claimsOf(
  runtime: AgentRuntime,
  processes: readonly ProcessFacts[],
  statusFiles: readonly StatusFile[],
): PaneClaims {
  const own = ownProcesses(processes);
  const status =
    statusFiles.find((file) => own.some((process) => isOfProcess(file, process))) ?? null;
  const held = new Set(
    own.flatMap(({ openFiles }) => openFiles.flatMap((path) => heldBy(runtime, path))),
  );
  const started = own.map(({ args }) => startOf(runtime, args)).find((start) => start !== null);
  return {
    status,
    held: [...held],
    startedWith: started && !started.isFork ? started.id : null,
    forkedFrom: started?.isFork ? started.id : null,
  };
}

function isOfProcess(file: StatusFile, process: ProcessFacts): boolean {
  if (file.pid !== process.pid) return false;
  if (process.startTicks !== null) return file.procStart === process.startTicks;
  if (file.startedAt === null || process.startedAt === null) return false;
  return Math.abs(file.startedAt - process.startedAt) <= START_SLACK_SECONDS;
}

function heldBy(runtime: AgentRuntime, path: string): string[] {
  const match = HELD[runtime].exec(path);
  const id = match?.[1] ?? match?.[2];
  return id === undefined ? [] : [id];
}

function startOf(
  runtime: AgentRuntime,
  args: readonly string[],
): { id: string; isFork: boolean } | null {
  for (const [index, arg] of args.entries()) {
    const [flag, value] = splitFlag(arg, args[index + 1]);
    if (value === undefined || !WHOLE_ID.test(value)) continue;
    if (runtime === "agent_b" && (flag === "resume" || flag === "fork"))
      return { id: value, isFork: flag === "fork" };
    if (runtime === "agent_a" && (flag === "--resume" || flag === "-r" || flag === "--session-id"))
      return { id: value, isFork: flag !== "--session-id" && args.includes("--fork-session") };
  }
  return null;
}

function splitFlag(arg: string, next: string | undefined): [string, string | undefined] {
  const [, flag = arg, value = next] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? [];
  return [flag, value];
}
