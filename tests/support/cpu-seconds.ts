import { readdir } from "node:fs/promises";
import { readFileSync } from "node:fs";

/** Linux counts in these, whatever its own clock is: measure over seconds. */
const TICKS_PER_SECOND = 100;

interface CpuSeconds {
  readonly parent: number;
  readonly own: number;
  /** Of children that it has waited for. */
  readonly children: number;
}

/** Processor time of a process since it began. @throws Error where /proc does not tell */
export function cpuOf(pid: number): CpuSeconds {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The program's name before it may hold brackets and spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const seconds = (...indexes: number[]) =>
    indexes.reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS_PER_SECOND;
  return { parent: Number(fields[1]), own: seconds(11, 12), children: seconds(13, 14) };
}

/** Of a running process and its descendants, ended ones too; 0 where /proc does not tell. */
export async function cpuSecondsBelow(root: number): Promise<number> {
  const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const times = new Map<number, CpuSeconds>();
  for (const id of ids.map(Number))
    try {
      times.set(id, cpuOf(id));
    } catch {
      // It has ended meanwhile.
    }
  const isBelow = (id: number): boolean =>
    id === root || (id > 0 && isBelow(times.get(id)?.parent ?? 0));
  return [...times].reduce(
    (sum, [id, { own, children }]) => sum + (isBelow(id) ? own + children : 0),
    0,
  );
}
