import { dlopen, FFIType, ptr } from "bun:ffi";
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
} from "node:fs";
import { basename } from "node:path";
import type { TerminalUse } from "../../detect/finding.ts";
import { lazy } from "../../lib/lazy.ts";
import {
  parseArguments,
  parseChildren,
  parseStat,
  type ProcStat,
  readProc,
} from "../../lib/procfs.ts";
import { run } from "../../lib/run.ts";
import type { PaneProcess } from "../provider.ts";
import { type PaneRoot, type Processes, ProcessTable, PS } from "./process-table.ts";

type Found = readonly PaneProcess[];

const MAX_DEPTH = 4;
const MAX_MEMBERS = 8;
const MAX_CHILDREN = 32;
/** What was read is good for so long where nobody needs to know what runs now. */
const RECENT_MS = 3000;
const PS_LIMITS = { timeoutMs: 2000, maxBytes: 4 * 1024 * 1024 };
const PS_AGES_MS = { now: 500, recent: 3000 };
/** Linux tells start times in these, whatever the clock of its kernel. */
const TICKS_PER_SECOND = 100;

interface Known {
  key: string;
  readAtMs: number;
  processes: Found;
}

export const localProcesses = (): Processes =>
  process.platform === "linux"
    ? new Foreground()
    : new ProcessTable({ read: readTable, agesMs: PS_AGES_MS, hasOurClock: true });

/** What runs in the foreground of this machine's panes, read again only when that may differ. */
export class Foreground implements Processes {
  readonly #known = new Map<number, Known>();

  async processes(pane: PaneRoot, age: "recent" | "now"): Promise<Found> {
    const leader = foregroundLeader(pane.pid);
    if (leader === null) return [];
    const key = `${leader}\0${pane.command}`;
    const known = this.#known.get(pane.pid);
    const nowMs = performance.now();
    if (age === "recent" && known?.key === key && nowMs - known.readAtMs < RECENT_MS)
      return known.processes;
    const processes = readGroup(pane.pid, leader);
    for (const [pid, { readAtMs }] of this.#known)
      if (nowMs - readAtMs >= RECENT_MS) this.#known.delete(pid);
    this.#known.set(pane.pid, { key, readAtMs: nowMs, processes });
    return processes;
  }

  async terminalUse(pane: PaneRoot): Promise<TerminalUse | null> {
    const processes = await this.processes(pane, "recent");
    const wrapped = processes.findIndex(({ args }) => WRAPPER.test(basename(args[0] ?? "")));
    // Behind a wrapper the program has a terminal of its own.
    const front = processes.length > wrapped + 1 ? processes.slice(wrapped + 1) : processes;
    const pids = front.map(({ pid }) => pid);
    // One that was put into a session of its own may read the terminal all the same.
    return readTerminalUse([...new Set([...pids, ...pids.flatMap(below)])]);
  }
}

/** The leader of the foreground process group of the pane's terminal. */
function foregroundLeader(pid: number): number | null {
  const stat = readStat(pid);
  return stat && stat.foreground > 0 ? stat.foreground : null;
}

/**
 * All of the foreground group, its leader and what the leader started in its place (npm, npx, sh)
 * first. The first process of a pipeline leads the group and may have ended: the others are found
 * below the pane's own process.
 */
function readGroup(root: number, leader: number): Found {
  const pids = chainOfPids(leader);
  const siblings = leader === root ? [] : childrenOf(readStat(leader)?.parent ?? -1);
  for (const pid of [...siblings, ...(pids.length === 0 ? below(root) : [])])
    if (!pids.includes(pid) && readStat(pid)?.group === leader) pids.push(pid);
  const inner = pids.flatMap((pid) => innerPids(pid));
  return [...pids, ...inner].slice(0, MAX_MEMBERS).flatMap((pid) => readProcess(pid) ?? []);
}

function chainOfPids(leader: number): number[] {
  const pids: number[] = [];
  let pid: number | undefined = leader;
  while (pid !== undefined && pids.length < MAX_DEPTH && readStat(pid)) {
    pids.push(pid);
    pid = childrenOf(pid).find((child) => readStat(child)?.group === leader);
  }
  return pids;
}

/** Programs that run another one in a terminal of its own and hand its screen through. */
const WRAPPER = /^(?:sudo|sudo-rs|doas|su|run0|script|unbuffer)$/;

/** What is in front of the terminal that a wrapper made for its program. */
function innerPids(pid: number): number[] {
  const outer = readStat(pid);
  if (!outer || !WRAPPER.test(outer.name)) return [];
  return below(pid).filter((child) => {
    const stat = readStat(child);
    return stat?.group === stat?.foreground && stat?.terminal !== outer.terminal;
  });
}

/** Descendants, nearest first. */
function below(root: number): number[] {
  const found: number[] = [];
  let level = [root];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    level = level.flatMap(childrenOf);
    found.push(...level);
  }
  return found;
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
  // Its dates are words of the locale.
  const env = { ...process.env, LC_ALL: "C" };
  const { stdout } = await run(PS, { ...PS_LIMITS, env });
  return new TextDecoder().decode(stdout);
}

const MAX_PROCESSES = 16;
/** A runtime may read in another thread than the first. */
const MAX_THREADS = 64;
const TERMINAL = /^\/dev\/(?:pts\/\d+|tty\w+)$/;
/** Numbers of `write` and `writev` (x86-64, arm64): output that was stopped waits as a read does. */
const WRITES = process.arch === "arm64" ? ["64", "66"] : ["1", "20"];
/** `poll` and `ppoll`, `select` and `pselect6`. */
const POLLS = process.arch === "arm64" ? ["73"] : ["7", "271"];
const SELECTS = process.arch === "arm64" ? ["72"] : ["23", "270"];
/** A file, what of it is waited for, and the answer. */
const POLL_BYTES = 8;
const POLLIN = 0x41;
const MAX_WATCHED_BYTES = 8 * 1024;

/** Null where the kernel does not tell all of it: on another system, or of another user's process. */
function readTerminalUse(pids: readonly number[]): TerminalUse | null {
  try {
    const terminal = findTerminal(pids);
    const modes = terminal && readModes(terminal.file);
    if (!modes) return null;
    const threads = pids.slice(0, MAX_PROCESSES).flatMap(threadsOf);
    const uses = threads.map((thread) => waitOf(thread, terminal.path));
    if (uses.includes("reads")) return { ...modes, waiting: "reads" };
    if (uses.length === 0 || uses.includes(null)) return null;
    return { ...modes, waiting: uses.includes("polls") ? "polls" : "none" };
  } catch {
    // A process has ended meanwhile, or is not ours to look at.
    return null;
  }
}

function threadsOf(pid: number): string[] {
  const tasks = readdirSync(`/proc/${pid}/task`).slice(0, MAX_THREADS);
  return tasks.map((task) => `/proc/${pid}/task/${task}`);
}

/** What a thread waits for; null where the kernel keeps it to itself. */
function waitOf(thread: string, terminal: string): TerminalUse["waiting"] | null {
  const place = readFileSync(`${thread}/wchan`, "latin1");
  if (/poll|select/.test(place)) return watches(terminal, thread, place) ? "polls" : "none";
  if (/^(?:wait_woken|n_tty_read)/.test(place)) return isOn(terminal, thread) ? "reads" : "none";
  if (place !== "" && place !== "0") return "none";
  // It runs, or nothing is told: its state says which.
  return /\) R /.test(readFileSync(`${thread}/stat`, "latin1")) ? "none" : null;
}

/** Sockets are waited for in the same place of the kernel. */
function isOn(terminal: string, thread: string): boolean {
  const call = callOf(thread);
  if (!call) return true;
  const [number = "", file] = call;
  return !WRITES.includes(number) && [terminal, "/dev/tty"].includes(linkOf(thread, file));
}

/** Whether the terminal's input is among what is waited for; also true where that cannot be told. */
function watches(terminal: string, thread: string, place: string): boolean {
  const files = watchedBy(thread, place);
  const paths = [terminal, "/dev/tty", "anon_inode:[eventpoll]"];
  // What is watched by an event loop stays so under a number that was closed, while it is open elsewhere.
  const isClosed = (file: string) => !existsSync(`${thread}/fd/${file}`);
  return files?.some((file) => isClosed(file) || paths.includes(linkOf(thread, file))) ?? true;
}

/** The files whose input is waited for: none is a way to sleep. */
function watchedBy(thread: string, place: string): string[] | null {
  const [number = "", ...args] = callOf(thread) ?? [];
  if (args.length === 0) return null;
  if (/epoll|ep_poll/.test(place)) {
    const watched = readFileSync(`${thread}/fdinfo/${Number(args[0])}`, "latin1");
    const inputs = watched.matchAll(/^tfd:\s*(\d+) events:\s*\w*[13579bdf] /gm);
    return [...inputs].map(([, file = ""]) => file);
  }
  const [first = 0, second = 0] = args.map(Number);
  if (POLLS.includes(number)) {
    const list = bytesAt(thread, first, second * POLL_BYTES);
    const at = Array.from({ length: second }, (_, index) => index * POLL_BYTES);
    const inputs = at.filter((byte) => (list.readInt16LE(byte + 4) & POLLIN) !== 0);
    const files = inputs.map((byte) => list.readInt32LE(byte));
    return files.filter((file) => file >= 0).map(String);
  }
  if (!SELECTS.includes(number)) return null;
  const set = second === 0 ? Buffer.alloc(0) : bytesAt(thread, second, Math.ceil(first / 8));
  const isIn = (file: number) => ((set[file >> 3] ?? 0) & (1 << (file & 7))) !== 0;
  return Array.from({ length: first }, (_, file) => file)
    .filter(isIn)
    .map(String);
}

/** Who may see a call may see what it points to. */
function bytesAt(thread: string, address: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(Math.min(bytes, MAX_WATCHED_BYTES));
  if (buffer.length === 0) return buffer;
  const memory = openSync(`${thread}/mem`, constants.O_RDONLY);
  try {
    readSync(memory, buffer, 0, buffer.length, address);
    return buffer;
  } finally {
    closeSync(memory);
  }
}

function linkOf(thread: string, file = ""): string {
  return readlinkSync(`${thread}/fd/${Number(file)}`);
}

/** Number and arguments; null where the system shows them to a tracer only: the place has to do. */
function callOf(thread: string): string[] | null {
  try {
    return readFileSync(`${thread}/syscall`, "latin1").split(" ");
  } catch {
    return null;
  }
}

function findTerminal(pids: readonly number[]): { path: string; file: string } | null {
  for (const pid of pids)
    for (const number of [0, 1, 2]) {
      const file = `/proc/${pid}/fd/${number}`;
      const path = readlinkSync(file);
      if (TERMINAL.test(path)) return { path, file };
    }
  return null;
}

// <termios.h> of Linux: four words of flags, the local ones last.
const TERMIOS_BYTES = 128;
const LOCAL_FLAGS = 3;
const ICANON = 0o2;
const ECHO = 0o10;

function readModes(path: string): Pick<TerminalUse, "lines" | "echo"> | null {
  const tcgetattr = libc();
  if (!tcgetattr) return null;
  const file = openSync(path, constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
  try {
    const modes = new Uint32Array(TERMIOS_BYTES / 4);
    if (tcgetattr(file, ptr(modes)) !== 0) return null;
    const flags = modes[LOCAL_FLAGS] ?? 0;
    return { lines: (flags & ICANON) !== 0, echo: (flags & ECHO) !== 0 };
  } finally {
    closeSync(file);
  }
}

/** `tcgetattr` of the C library, by the names that glibc and musl give it. */
const libc = lazy(() => {
  for (const name of [
    "libc.so.6",
    `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`,
  ])
    try {
      const { symbols } = dlopen(name, {
        tcgetattr: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
      });
      return symbols.tcgetattr;
    } catch {
      // The other library, or none that can be opened.
    }
  return null;
});
