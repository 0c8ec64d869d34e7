// The part of /proc that tells what processes do with their terminal, of this machine or another one.
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
import { lazy } from "../../lib/lazy.ts";

export interface TerminalModes {
  /** Input is handed over by lines (canonical mode), not by keys. */
  lines: boolean;
  echo: boolean;
}

/** Paths are relative to /proc. Methods throw where something is missing, or may not be read. */
export interface Proc {
  /** As `process.arch` names it. */
  readonly arch: string;
  read(path: string): string;
  has(path: string): boolean;
  link(path: string): string;
  list(path: string): readonly string[];
  /**
   * From the memory of a process, which may be read here wherever its system calls may; null on another
   * machine.
   */
  memory(process: string, address: number, bytes: number): Buffer | null;
  /** Of the terminal that is open as this file; null where they are not known. */
  modes(file: string): TerminalModes | null;
}

export const LOCAL_PROC: Proc = {
  arch: process.arch,
  read: (path) => readFileSync(`/proc/${path}`, "latin1"),
  has: (path) => existsSync(`/proc/${path}`),
  link: (path) => readlinkSync(`/proc/${path}`),
  list: (path) => readdirSync(`/proc/${path}`),
  memory(process, address, bytes) {
    const buffer = Buffer.alloc(bytes);
    if (bytes === 0) return buffer;
    return withFile(openSync(`/proc/${process}/mem`, constants.O_RDONLY), (file) => {
      readSync(file, buffer, 0, bytes, address);
      return buffer;
    });
  },
  modes(path) {
    const tcgetattr = libc();
    if (!tcgetattr) return null;
    const { O_RDONLY, O_NOCTTY, O_NONBLOCK } = constants;
    return withFile(openSync(`/proc/${path}`, O_RDONLY | O_NOCTTY | O_NONBLOCK), (file) => {
      const modes = new Uint32Array(TERMIOS_BYTES / 4);
      if (tcgetattr(file, ptr(modes)) !== 0) return null;
      const flags = modes[LOCAL_FLAGS] ?? 0;
      return { lines: (flags & ICANON) !== 0, echo: (flags & ECHO) !== 0 };
    });
  },
};

function withFile<T>(file: number, use: (file: number) => T): T {
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

// <termios.h> of Linux: four words of flags, of which the local ones are the last.
const TERMIOS_BYTES = 128;
const LOCAL_FLAGS = 3;
const ICANON = 0o2;
const ECHO = 0o10;

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
