import { readdir, readFile } from "node:fs/promises";

/** Linux counts in these, whatever its own clock is. */
const TICKS_PER_SECOND = 100;

interface Times {
  readonly parent: number;
  /** Of the process and of all that it has seen the end of. */
  readonly seconds: number;
}

/** Processor time of a process that runs and of all below it, running or not; 0 where it is not told. */
export async function cpuSecondsBelow(root: number): Promise<number> {
  const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const times = new Map<number, Times>();
  for (const id of ids) {
    const one = await timesOf(id);
    if (one !== null) times.set(Number(id), one);
  }
  const isBelow = (id: number): boolean =>
    id === root || (id > 0 && isBelow(times.get(id)?.parent ?? 0));
  return [...times].reduce((sum, [id, { seconds }]) => sum + (isBelow(id) ? seconds : 0), 0);
}

async function timesOf(id: string): Promise<Times | null> {
  const stat = await readFile(`/proc/${id}/stat`, "utf8").catch(() => null);
  if (stat === null) return null;
  // The name before it may hold anything, also brackets and spaces.
  const numbers = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = numbers.slice(11, 15).reduce((total, number) => total + Number(number), 0);
  return { parent: Number(numbers[1]), seconds: ticks / TICKS_PER_SECOND };
}
