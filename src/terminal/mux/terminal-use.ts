// What processes wait for, and the modes of their terminal.
import type { TerminalUse } from "../../detect/finding.ts";
import type { Proc } from "./proc.ts";
import { readersOf, treeOf } from "./process-tree.ts";

const MAX_PROCESSES = 64;
/** A runtime may read in another thread than the first. */
const MAX_THREADS = 64;
const TERMINAL = /^\/dev\/(?:pts\/\d+|tty\w+)$/;
/** Numbers of system calls, by architecture; where they are not known, every call may be a read. */
const CALLS: Readonly<Record<string, { writes: string[]; polls: string[]; selects: string[] }>> = {
  // `write` and `writev` (output that was stopped waits as a read does); `poll`, `ppoll`; `select`, `pselect6`.
  x64: { writes: ["1", "20"], polls: ["7", "271"], selects: ["23", "270"] },
  arm64: { writes: ["64", "66"], polls: ["73"], selects: ["72"] },
};
/** `struct pollfd`: the file, the events that are waited for, the events that came. */
const POLL_BYTES = 8;
const POLLIN = 0x41;
const MAX_WATCHED_BYTES = 8 * 1024;

/**
 * Of the programs in front of a pane, by its first process; null where the kernel does not tell: on another
 * system, or of another user's process.
 */
export function terminalUse(proc: Proc, root: number): TerminalUse | null {
  // A thread that wakes or ends while it is read tells nothing: it rarely does so twice.
  return readUse(proc, root) ?? readUse(proc, root);
}

function readUse(proc: Proc, root: number): TerminalUse | null {
  try {
    const pids = readersOf(treeOf(proc), root);
    const terminal = findTerminal(proc, pids);
    const modes = terminal && proc.modes(terminal.file);
    if (!modes) return null;
    const uses = pids
      .slice(0, MAX_PROCESSES)
      .flatMap((pid) => threadsOf(proc, pid))
      .map((thread) => waitOf({ proc, thread, terminal: terminal.path }));
    if (uses.includes("reads")) return { ...modes, waiting: "reads" };
    // One of those that were not read may read the terminal.
    if (uses.length === 0 || uses.includes(null) || pids.length > MAX_PROCESSES) return null;
    return { ...modes, waiting: uses.includes("polls") ? "polls" : "none" };
  } catch {
    // A process has ended meanwhile, or belongs to another user.
    return null;
  }
}

interface Thread {
  proc: Proc;
  /** Its folder in /proc. */
  thread: string;
  /** The terminal of the pane. */
  terminal: string;
}

function threadsOf(proc: Proc, pid: number): string[] {
  const tasks = proc.list(`${pid}/task`).slice(0, MAX_THREADS);
  return tasks.map((task) => `${pid}/task/${task}`);
}

/** What a thread waits for; null where the kernel does not tell. */
function waitOf(at: Thread): TerminalUse["waiting"] | null {
  const place = at.proc.read(`${at.thread}/wchan`);
  if (/poll|select/.test(place)) return watches(at, place) ? "polls" : "none";
  if (/^(?:wait_woken|n_tty_read)/.test(place)) return isOnTerminal(at) ? "reads" : "none";
  if (place !== "" && place !== "0") return "none";
  // The thread runs or has ended, or the kernel does not tell: its state says which.
  return /\) [RZ] /.test(at.proc.read(`${at.thread}/stat`)) ? "none" : null;
}

/** Whether its call is a read of the terminal: sockets are waited for in the same place of the kernel. */
function isOnTerminal(at: Thread): boolean {
  const call = callOf(at);
  if (!call) return true;
  const [number = "", file] = call.words;
  return !call.of.writes.includes(number) && [at.terminal, "/dev/tty"].includes(linkOf(at, file));
}

/** Whether a thread waits for input of the terminal; also true where that cannot be told. */
function watches(at: Thread, place: string): boolean {
  const files = watchedBy(at, place);
  const paths = [at.terminal, "/dev/tty", "anon_inode:[eventpoll]"];
  // epoll goes on watching a file under its closed number while another process has it open.
  const isClosed = (file: string) => !at.proc.has(`${at.thread}/fd/${file}`);
  return files?.some((file) => isClosed(file) || paths.includes(linkOf(at, file))) ?? true;
}

/** The files whose input is waited for: a program that sleeps waits for none. */
function watchedBy(at: Thread, place: string): string[] | null {
  const { proc, thread } = at;
  const call = callOf(at);
  const [number = "", ...args] = call?.words ?? [];
  if (!call || args.length === 0) return null;
  if (/epoll|ep_poll/.test(place)) {
    const watched = proc.read(`${thread}/fdinfo/${Number(args[0])}`);
    const inputs = watched.matchAll(/^tfd:\s*(\d+) events:\s*\w*[13579bdf] /gm);
    return [...inputs].map(([, file = ""]) => file);
  }
  const isPoll = call.of.polls.includes(number);
  if (!isPoll && !call.of.selects.includes(number)) return null;
  // How many entries, or where the set is.
  const [first = 0, second = 0] = args.map(Number);
  if (second === 0) return [];
  if (isPoll) {
    const list = proc.memory(thread, first, Math.min(second * POLL_BYTES, MAX_WATCHED_BYTES));
    if (!list) return null;
    const starts = Array.from({ length: second }, (_, index) => index * POLL_BYTES);
    const inputs = starts.filter((byte) => (list.readInt16LE(byte + 4) & POLLIN) !== 0);
    const files = inputs.map((byte) => list.readInt32LE(byte));
    return files.filter((file) => file >= 0).map(String);
  }
  const set = proc.memory(thread, second, Math.min(Math.ceil(first / 8), MAX_WATCHED_BYTES));
  if (!set) return null;
  const isIn = (file: number) => ((set[file >> 3] ?? 0) & (1 << (file & 7))) !== 0;
  return Array.from({ length: first }, (_, file) => file)
    .filter(isIn)
    .map(String);
}

function linkOf({ proc, thread }: Thread, file = ""): string {
  return proc.link(`${thread}/fd/${Number(file)}`);
}

/** Number and arguments of its system call; null where the system shows them to tracers only. */
function callOf({ proc, thread }: Thread) {
  try {
    const of = CALLS[proc.arch];
    return of ? { of, words: proc.read(`${thread}/syscall`).split(" ") } : null;
  } catch {
    return null;
  }
}

function findTerminal(proc: Proc, pids: readonly number[]): { path: string; file: string } | null {
  for (const pid of pids)
    for (const number of [0, 1, 2]) {
      const file = `${pid}/fd/${number}`;
      // One that has ended has no files.
      if (!proc.has(file)) continue;
      const path = proc.link(file);
      if (TERMINAL.test(path)) return { path, file };
    }
  return null;
}
