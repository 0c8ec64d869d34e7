import { readFileSync } from "node:fs";

/** /proc counts in hundredths of a second, whatever the kernel's clock is. */
const TICK_MS = 10;

const MAX_ARGUMENT_BYTES = 4096;

/** Null on another system, or for a process that has ended or is another user's. */
export function readProc(path: string): string | null {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return null;
  }
}

export interface ProcStat {
  name: string;
  parent: number;
  group: number;
  terminal: number;
  foreground: number;
  /** Ticks since the machine started: tells a process from a later one with the same id. */
  startTicks: string;
  /** Of all its threads, in steps of 10 ms. */
  processorMs: number;
}

/** Of `/proc/<pid>/stat`. */
export function parseStat(text: string | null): ProcStat | null {
  if (!text) return null;
  // The name in parentheses may hold blanks and parentheses itself.
  const end = text.lastIndexOf(")");
  const fields = text.slice(end + 2).split(" ");
  const [parent = 0, group = 0, , terminal = 0, foreground = 0] = fields.slice(1, 6).map(Number);
  const name = text.slice(text.indexOf("(") + 1, end);
  const [user = 0, system = 0] = fields.slice(11, 13).map(Number);
  const processorMs = (user + system) * TICK_MS;
  return { name, parent, group, terminal, foreground, startTicks: fields[19] ?? "", processorMs };
}

export function parseArguments(text: string): string[] {
  return text.slice(0, MAX_ARGUMENT_BYTES).replace(/\0+$/, "").split("\0");
}

export function parseChildren(text: string | null): number[] {
  return (text ?? "").split(" ").filter(Boolean).map(Number);
}
