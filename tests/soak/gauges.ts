import { readdirSync, readFileSync } from "node:fs";

export interface Gauge {
  atSeconds: number;
  residentMib: number;
  descriptors: number;
  children: number;
  zombies: number;
}

/** What the kernel says of a process; children are those that live, zombies those not waited for. */
export function readGauge(pid: number, startedAtMs: number): Gauge {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const resident = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN);
  const states = childStates(pid);
  return {
    atSeconds: (performance.now() - startedAtMs) / 1000,
    residentMib: resident / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    children: states.filter((state) => state !== "Z").length,
    zombies: states.filter((state) => state === "Z").length,
  };
}

function childStates(pid: number): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readStat(name);
      // The name stands in brackets and may hold any character: state and parent follow the last.
      const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(parent) === pid ? [state] : [];
    });
}

function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // It has ended since the listing.
    return "";
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
