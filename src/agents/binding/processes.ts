import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../lib/json.ts";
import { parseArguments, parseChildren, parseStat, readProc } from "../../lib/procfs.ts";
import type { AgentRuntime } from "../../protocol/agents.ts";
import type { PaneProcess } from "../../terminal/provider.ts";

/** What is looked at of one pane; an agent has a handful. */
const MAX_PROCESSES = 48;
const MAX_OPEN_FILES = 512;

/**
 * What the system tells of a pane's processes and of those below them, nearest first. On Linux from
 * /proc; elsewhere only what the provider knows: neither open files nor folders nor a start that
 * can be held against a status file to the tick.
 */
export async function readProcesses(
  known: readonly PaneProcess[],
  platform: NodeJS.Platform = process.platform,
): Promise<ProcessFacts[]> {
  if (platform !== "linux") return known.map(plainFacts);
  const facts: ProcessFacts[] = [];
  const seen = new Set<number>();
  const open = known.map(({ pid }) => pid);
  const starts = new Map(known.map(({ pid, startedAt }) => [pid, startedAt]));
  for (let pid = open.shift(); pid !== undefined; pid = open.shift()) {
    if (seen.has(pid) || seen.size >= MAX_PROCESSES) continue;
    seen.add(pid);
    const found = await readOne(pid, starts.get(pid) ?? null);
    if (!found) continue;
    facts.push(found);
    open.push(...parseChildren(await readLater(pid, `task/${pid}/children`)));
  }
  return facts;
}

/** Whether the process that had this number and start ticks is there still; ticks on Linux alone. */
export function isRunning(pid: number, start: unknown): boolean {
  try {
    process.kill(pid, 0);
    if (typeof start !== "string") return true;
    return parseStat(readProc(`${pid}/stat`))?.startTicks === start;
  } catch {
    return false;
  }
}

/** Absolute paths in the environment of a process of ours; null for each that it has not. */
export async function readVariables(
  pid: number,
  names: readonly string[],
): Promise<(string | null)[]> {
  const environment = ((await readLater(pid, "environ")) ?? "").split("\0");
  return names.map((name) => {
    const found = environment.find((each) => each.startsWith(`${name}=/`));
    return found?.slice(name.length + 1) ?? null;
  });
}

function plainFacts({ pid, startedAt, args }: PaneProcess): ProcessFacts {
  return { pid, parent: 0, args, startTicks: null, startedAt, cwd: null, openFiles: [] };
}

async function readOne(pid: number, startedAt: number | null): Promise<ProcessFacts | null> {
  const [text, cmdline] = await Promise.all([readLater(pid, "stat"), readLater(pid, "cmdline")]);
  const stat = parseStat(text);
  if (stat === null || cmdline === null) return null;
  return {
    pid,
    parent: stat.parent,
    args: parseArguments(cmdline),
    startTicks: stat.startTicks,
    startedAt,
    cwd: await linkOf(`/proc/${pid}/cwd`),
    openFiles: [],
  };
}

/** Open files are many: asked for only where processes do not say it more simply. */
export function withOpenFiles(processes: readonly ProcessFacts[]): Promise<ProcessFacts[]> {
  return Promise.all(
    processes.map(async (each) => ({ ...each, openFiles: await openFilesOf(each.pid) })),
  );
}

async function openFilesOf(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(gone);
  const links = (names ?? []).slice(0, MAX_OPEN_FILES).map((name) => linkOf(`${folder}/${name}`));
  const paths = await Promise.all(links);
  return paths.flatMap((path) => (path?.startsWith("/") ? [path] : []));
}

function linkOf(path: string): Promise<string | null> {
  return readlink(path).catch(gone);
}

/** Without holding the thread: of many processes, and some that wait for the system. */
function readLater(pid: number, file: string): Promise<string | null> {
  return readFile(`/proc/${pid}/${file}`, "utf8").catch(gone);
}

/** There is none any more, or it is not ours to look at: unknown, not an error. */
function gone(): null {
  return null;
}

/** They are rewritten in place, and a read in that moment sees half of one. */
const MAX_READS = 4;
const READ_AGAIN_MS = 10;
const MAX_STATUS_BYTES = 64 * 1024;

/** What a runtime writes of one process; times as epoch seconds. */
const StatusFile = z
  .object({
    pid: z.number(),
    sessionId: z.string(),
    procStart: z.coerce.string().nullish(),
    /** Epoch milliseconds. */
    startedAt: z.number().nullish(),
    status: z.enum(["idle", "busy", "waiting"]).nullish().catch(null),
  })
  .transform(({ pid, sessionId, procStart = null, startedAt, status = null }) => ({
    ...{ pid, sessionId, procStart, status },
    startedAt: startedAt == null ? null : startedAt / 1000,
  }));
export type StatusFile = z.infer<typeof StatusFile>;

/** What a runtime's processes have written of themselves, for those of these pids that did. */
export async function readStatusFiles(
  home: string,
  pids: readonly number[],
  pause: (ms: number) => Promise<void> = Bun.sleep,
): Promise<StatusFile[]> {
  const found = await Promise.all(
    pids.map((pid) => readStatus(join(home, "sessions", `${pid}.json`), pause)),
  );
  return found.filter((file) => file !== null);
}

async function readStatus(
  path: string,
  pause: (ms: number) => Promise<void>,
): Promise<StatusFile | null> {
  for (let read = 1; read <= MAX_READS; read++) {
    const text = await readFile(path, "utf8").catch(gone);
    if (text === null || text.length > MAX_STATUS_BYTES) return null;
    const file = parseStatusFile(text);
    if (file) return file;
    await pause(READ_AGAIN_MS);
  }
  return null;
}

export function parseStatusFile(text: string): StatusFile | null {
  return StatusFile.safeParse(parseJson(text)).data ?? null;
}

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
