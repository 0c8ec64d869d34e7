import { readFileSync } from "node:fs";

// Linux counts in ticks of 10 ms, scaled to the precise running time: measure over seconds.
const TICKS_PER_SECOND = 100;

export interface CpuSeconds {
  own: number;
  /** Of children that have ended. */
  children: number;
}

/** CPU time of a process since it began, by /proc. */
export function cpuOf(pid: number): CpuSeconds {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const seconds = (...indexes: number[]) =>
    indexes.reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS_PER_SECOND;
  return { own: seconds(11, 12), children: seconds(13, 14) };
}
