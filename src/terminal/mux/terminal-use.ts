// What processes of this machine wait for, and the modes of their terminal.
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
import type { TerminalUse } from "../../detect/finding.ts";
import { lazy } from "../../lib/lazy.ts";

const MAX_PROCESSES = 16;
/** A runtime may read in another thread than the first. */
const MAX_THREADS = 64;
const TERMINAL = /^\/dev\/(?:pts\/\d+|tty\w+)$/;
/** Numbers of `write` and `writev` (x86-64, arm64): output that was stopped waits as a read does. */
const WRITES = process.arch === "arm64" ? ["64", "66"] : ["1", "20"];
/** `poll` and `ppoll`, `select` and `pselect6`. */
const POLLS = process.arch === "arm64" ? ["73"] : ["7", "271"];
const SELECTS = process.arch === "arm64" ? ["72"] : ["23", "270"];
/** `struct pollfd`: the file, the events that are waited for, the events that came. */
const POLL_BYTES = 8;
const POLLIN = 0x41;
const MAX_WATCHED_BYTES = 8 * 1024;

/** Null where the kernel does not tell: on another system, or of another user's process. */
export function readTerminalUse(pids: readonly number[]): TerminalUse | null {
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
    // A process has ended meanwhile, or belongs to another user.
    return null;
  }
}

function threadsOf(pid: number): string[] {
  const tasks = readdirSync(`/proc/${pid}/task`).slice(0, MAX_THREADS);
  return tasks.map((task) => `/proc/${pid}/task/${task}`);
}

/** What a thread waits for; null where the kernel does not tell. */
function waitOf(thread: string, terminal: string): TerminalUse["waiting"] | null {
  const place = readFileSync(`${thread}/wchan`, "latin1");
  if (/poll|select/.test(place)) return watches(terminal, thread, place) ? "polls" : "none";
  if (/^(?:wait_woken|n_tty_read)/.test(place)) return isOn(terminal, thread) ? "reads" : "none";
  if (place !== "" && place !== "0") return "none";
  // The thread runs or has ended, or the kernel does not tell: its state says which.
  return /\) [RZ] /.test(readFileSync(`${thread}/stat`, "latin1")) ? "none" : null;
}

/** Whether its call is a read of the terminal: sockets are waited for in the same place of the kernel. */
function isOn(terminal: string, thread: string): boolean {
  const call = callOf(thread);
  if (!call) return true;
  const [number = "", file] = call;
  return !WRITES.includes(number) && [terminal, "/dev/tty"].includes(linkOf(thread, file));
}

/** Whether a thread waits for input of the terminal; also true where that cannot be told. */
function watches(terminal: string, thread: string, place: string): boolean {
  const files = watchedBy(thread, place);
  const paths = [terminal, "/dev/tty", "anon_inode:[eventpoll]"];
  // epoll goes on watching a file under its closed number while another process has it open.
  const isClosed = (file: string) => !existsSync(`${thread}/fd/${file}`);
  return files?.some((file) => isClosed(file) || paths.includes(linkOf(thread, file))) ?? true;
}

/** The files whose input is waited for: a program that sleeps waits for none. */
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

/** From the memory of a process, which may be read wherever its system calls may. */
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

/** Number and arguments of its system call; null where the system shows them to tracers only. */
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
      // One that has ended has no files.
      if (!existsSync(file)) continue;
      const path = readlinkSync(file);
      if (TERMINAL.test(path)) return { path, file };
    }
  return null;
}

// <termios.h> of Linux: four words of flags, of which the local ones are the last.
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

/** From the C library, by the names that glibc and musl have. */
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
      // Another C library, or none that can be opened.
    }
  return null;
});
