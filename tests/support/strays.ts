import { readdir, readFile } from "node:fs/promises";

/** What ends of itself (a tmux server that was told to, a helper of a browser) has so long for it. */
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
    for (const { pid } of strays) kill(pid);
    await Bun.sleep(LOOK_EVERY_MS);
  }
  return commands;
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
  const names = await readdir("/proc").catch(() => []);
  const found = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((name) => commandWithin(name, folder)),
  );
  return found.filter((one) => one !== null);
}

/** Null for what is gone, is a zombie, belongs to somebody else or to another folder. */
async function commandWithin(name: string, folder: string) {
  const read = (file: string) => readFile(`/proc/${name}/${file}`, "utf8").catch(() => "");
  if (Number(name) === process.pid || !(await read("environ")).includes(folder)) return null;
  const command = (await read("cmdline")).replaceAll("\0", " ").trim();
  return command === "" ? null : { pid: Number(name), command };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
