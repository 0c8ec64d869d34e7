import { dlopen, FFIType, ptr } from "bun:ffi";
import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { TerminalUse } from "../../detect/finding.ts";
import { lazy } from "../../lib/lazy.ts";

const MAX_PROCESSES = 16;
/** A runtime may read in another thread than the first. */
const MAX_THREADS = 64;
const TERMINAL = /^\/dev\/(?:pts\/\d+|tty\w+)$/;
/** Numbers of `write` and `writev` (x86-64, arm64): output that was stopped waits as a read does. */
const WRITES = process.arch === "arm64" ? ["64", "66"] : ["1", "20"];

/**
 * What these processes, the foreground of one terminal, do with it; null where the kernel does not
 * tell all of it: on another system, or of another user's process.
 */
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
  if (/poll|select/.test(place)) return "polls";
  if (/^(?:wait_woken|n_tty_read)/.test(place)) return isOn(terminal, thread) ? "reads" : "none";
  if (place !== "" && place !== "0") return "none";
  // It runs, or nothing is told: its state says which.
  return /\) R /.test(readFileSync(`${thread}/stat`, "latin1")) ? "none" : null;
}

/** Sockets are waited for in the same place of the kernel. */
function isOn(terminal: string, thread: string): boolean {
  let call: string;
  try {
    call = readFileSync(`${thread}/syscall`, "latin1");
  } catch {
    // Some systems show this to a tracer only: the place where it waits has to do.
    return true;
  }
  const [number = "", file = ""] = call.split(" ");
  const path = readlinkSync(`${thread}/fd/${Number(file)}`);
  return !WRITES.includes(number) && (path === terminal || path === "/dev/tty");
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
