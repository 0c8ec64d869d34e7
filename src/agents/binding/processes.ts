import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { openFile } from "../../lib/json-file.ts";
import { parseJson } from "../../lib/json.ts";
import { parseArguments, parseChildren, parseStat, readProc } from "../../lib/procfs.ts";
import type { AgentRuntime } from "../../protocol/agents.ts";
import type { PaneProcess } from "../../terminal/provider.ts";

/** Per pane; an agent has a handful. */
const MAX_PROCESSES = 48;
const MAX_OPEN_FILES = 512;

/**
 * A pane's processes and their descendants, nearest first. On Linux from /proc; elsewhere only what
 * the provider knows: no descendants, open files, folders or start ticks.
 */
export async function readProcesses(
  known: readonly PaneProcess[],
  platform: NodeJS.Platform = process.platform,
): Promise<ProcessFacts[]> {
  if (platform !== "linux")
    return known.map(({ pid, startedAt, args }) => ({
      ...{ pid, parent: 0, args, startTicks: null, startedAt, cwd: null, openFiles: [] },
    }));
  const facts: ProcessFacts[] = [];
  const seen = new Set<number>();
  const open = known.map(({ pid }) => pid);
  const starts = new Map(known.map(({ pid, startedAt }) => [pid, startedAt]));
  for (let pid = open.shift(); pid !== undefined; pid = open.shift()) {
    if (seen.has(pid) || seen.size >= MAX_PROCESSES) continue;
    seen.add(pid);
    const read = await readProcess(pid, starts.get(pid) ?? null);
    if (!read) continue;
    facts.push(read);
    open.push(...parseChildren(await readProcFile(pid, `task/${pid}/children`)));
  }
  return facts;
}

/** Whether the process with this pid and these start ticks still runs; only Linux has ticks. */
export function isRunning(pid: number, start: unknown): boolean {
  try {
    process.kill(pid, 0);
    if (typeof start !== "string") return true;
    return parseStat(readProc(`${pid}/stat`))?.startTicks === start;
  } catch {
    return false;
  }
}

/** Absolute paths in the environment of a process; null for each that is not set. */
export async function readVariables(
  pid: number,
  names: readonly string[],
): Promise<(string | null)[]> {
  const environment = ((await readProcFile(pid, "environ")) ?? "").split("\0");
  return names.map((name) => {
    const variable = environment.find((each) => each.startsWith(`${name}=/`));
    return variable?.slice(name.length + 1) ?? null;
  });
}

async function readProcess(pid: number, startedAt: number | null): Promise<ProcessFacts | null> {
  const files = ["stat", "cmdline"].map((file) => readProcFile(pid, file));
  const [text = null, cmdline = null] = await Promise.all(files);
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

/** Reads the open files too; there are many, so only where no status file names the session. */
export function withOpenFiles(processes: readonly ProcessFacts[]): Promise<ProcessFacts[]> {
  return Promise.all(
    processes.map(async (each) => ({ ...each, openFiles: await openFilesOf(each.pid) })),
  );
}

async function openFilesOf(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(toNull);
  const links = (names ?? []).slice(0, MAX_OPEN_FILES).map((name) => linkOf(`${folder}/${name}`));
  const paths = await Promise.all(links);
  return paths.flatMap((path) => (path?.startsWith("/") ? [path] : []));
}

function linkOf(path: string): Promise<string | null> {
  return readlink(path).catch(toNull);
}

/** Asynchronous: there are many processes, and some reads wait for the system. */
function readProcFile(pid: number, file: string): Promise<string | null> {
  return readFile(`/proc/${pid}/${file}`, "utf8").catch(toNull);
}

/** The process has ended, or belongs to another user: unknown, not an error. */
function toNull(): null {
  return null;
}

/** Status files are rewritten in place: a read in that moment sees half of one. */
const MAX_READS = 4;
const READ_AGAIN_MS = 10;
const MAX_STATUS_BYTES = 64 * 1024;

/** What a runtime writes about one of its processes; times become epoch seconds. */
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

/** Status files of those of these pids that wrote one. */
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
    const text = await readShort(path).catch(toNull);
    if (text === null) return null;
    const file = parseStatusFile(text);
    if (file) return file;
    await pause(READ_AGAIN_MS);
  }
  return null;
}

/** Null for a text that is too long. */
async function readShort(path: string): Promise<string | null> {
  await using file = await openFile(path);
  return (await file.stat()).size > MAX_STATUS_BYTES ? null : file.readFile("utf8");
}

export function parseStatusFile(text: string): StatusFile | null {
  return StatusFile.safeParse(parseJson(text)).data ?? null;
}

export interface ProcessFacts {
  pid: number;
  parent: number;
  args: readonly string[];
  /** Field 22 of Linux' stat, which tells a process from a later one with its pid; else null. */
  startTicks: string | null;
  /** Epoch seconds; null when unknown. */
  startedAt: number | null;
  cwd: string | null;
  /** Empty where the system does not tell. */
  openFiles: readonly string[];
}

export interface PaneClaims {
  /** The process names its session itself: no weaker proof counts in this pane. */
  status: StatusFile | null;
  /** Sessions whose log, lock or folder a process of this pane holds open. */
  held: readonly string[];
  /** The session that the process was started with; it may have moved on to another one. */
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
/** Between a status file's clock and the system's, where there are no ticks to compare. */
const START_SLACK_SECONDS = 30;

/** Without daemons, which all panes share: they prove nothing of one pane. */
export function ownProcesses(processes: readonly ProcessFacts[]): ProcessFacts[] {
  const daemons = new Set<number>();
  // The list is in no order: repeat until no child of a daemon is left.
  for (let size = -1; size !== daemons.size;) {
    size = daemons.size;
    for (const { pid, parent, args } of processes)
      if (args.includes("app-server") || daemons.has(parent)) daemons.add(pid);
  }
  return processes.filter(({ pid }) => !daemons.has(pid));
}

/** Status files of processes that have ended, or whose pid was reused, prove nothing. */
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
  const start = own.map(({ args }) => startOf(runtime, args)).find((each) => each !== null);
  return {
    status,
    held: [...held],
    startedWith: start && !start.isFork ? start.id : null,
    forkedFrom: start?.isFork ? start.id : null,
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
