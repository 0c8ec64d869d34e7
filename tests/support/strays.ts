import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** How long a tmux server or a process of a browser may take to end by itself. */
const GRACE_MS = 30_000;
const LOOK_EVERY_MS = 20;

/**
 * Ends the processes whose environment names this folder, wherever they were moved to, and answers
 * the command lines of those that did not end of themselves. Linux tells environments; elsewhere
 * none is found.
 */
export async function endStrays(folder: string, graceMs = GRACE_MS): Promise<string[]> {
  const until = performance.now() + graceMs;
  let strays = await processesOf(folder);
  while (strays.length > 0 && performance.now() < until) {
    await Bun.sleep(LOOK_EVERY_MS);
    strays = await processesOf(folder);
  }
  const commands = strays.map(({ command }) => command);
  for (; strays.length > 0; strays = await processesOf(folder)) {
    for (const { pid } of strays) signal(pid, "SIGKILL");
    await Bun.sleep(LOOK_EVERY_MS);
  }
  return commands;
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** What stands in a folder for temporary files when nobody is left to need it, but for these names. */
export async function leftIn(folder: string, known: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter(({ name }) => !known.includes(name)).map(kindAndName);
}

/** As `mkdtemp` names what is ours, in a folder that everybody uses. */
const OURS = /^(panewatch|pw-test|wsp)-/;

/** Our names in the system's folder for temporary files, and the sockets of this person's tmux. */
export async function ownNames(system = "/tmp"): Promise<string[]> {
  const sockets = `tmux-${process.getuid?.() ?? 0}`;
  const names = (folder: string) => readdir(folder).catch(() => []);
  const ours = (await names(system)).filter((name) => OURS.test(name));
  const servers = (await names(join(system, sockets))).map((name) => join(sockets, name));
  return [...ours, ...servers].map((name) => join(system, name));
}

/** Whether somebody else runs tests on this machine, whose names nobody could tell from ours. */
export async function runsElsewhere(folder: string): Promise<boolean> {
  const others = await Promise.all((await processes()).map((pid) => commandOutside(pid, folder)));
  return others.some((command) => command !== null && /\bbun\b.* test\b/.test(command));
}

async function commandOutside(pid: string, folder: string): Promise<string | null> {
  if (Number(pid) === process.pid || (await commandWithin(pid, folder)) !== null) return null;
  const read = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return read.replaceAll("\0", " ");
}

async function processes(): Promise<string[]> {
  const names = await readdir("/proc").catch(() => []);
  return names.filter((name) => /^\d+$/.test(name));
}

function kindAndName(entry: Dirent): string {
  if (entry.isSocket()) return `socket ${entry.name}`;
  return entry.isDirectory() ? `folder ${entry.name}` : `file ${entry.name}`;
}

interface Stray {
  readonly pid: number;
  readonly command: string;
}

/** Looks twice: a process that is just starting its program has no environment. */
async function processesOf(folder: string): Promise<Stray[]> {
  const found = await lookFor(folder);
  if (found.length > 0) return found;
  await Bun.sleep(LOOK_EVERY_MS);
  return lookFor(folder);
}

async function lookFor(folder: string): Promise<Stray[]> {
  const found = await Promise.all((await processes()).map((pid) => commandWithin(pid, folder)));
  return found.filter((one) => one !== null);
}

/**
 * Null for what is gone, is a zombie, belongs to somebody else or to another folder. A program that
 * shows its state as its title (sshd) has written it over its environment.
 */
async function commandWithin(name: string, folder: string) {
  const read = (file: string) => readFile(`/proc/${name}/${file}`, "utf8").catch(() => "");
  const environment = await read("environ");
  if (Number(name) === process.pid || environment === "") return null;
  const hasTitle = !environment.includes("=");
  if (!hasTitle && !environment.includes(folder)) return null;
  const command = (await read("cmdline")).replaceAll("\0", " ").trim();
  if (command === "" || (hasTitle && !command.includes(folder))) return null;
  return { pid: Number(name), command };
}
