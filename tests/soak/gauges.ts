import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";

export interface Gauge {
  atSeconds: number;
  residentMib: number;
  /** Of it, what belongs to no file and is shared with nobody. */
  ownMib: number;
  /** All that lies in its folder. */
  storeMib: number;
  /** What each is open on. */
  descriptors: readonly string[];
  children: number;
  zombies: number;
}

/**
 * What the kernel says of a process; children are those that live, zombies those not waited for.
 * `state`: the folder of its stores.
 */
export function readGauge({
  pid,
  state,
  startedAtMs,
}: {
  pid: number;
  state: string;
  startedAtMs: number;
}): Gauge {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const resident = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN);
  const states = childStates(pid);
  return {
    atSeconds: (performance.now() - startedAtMs) / 1000,
    residentMib: resident / 1024,
    ownMib: ownKib(pid) / 1024,
    storeMib: bytesIn(state) / 1024 ** 2,
    descriptors: descriptorsOf(pid),
    children: states.filter((state) => state !== "Z").length,
    zombies: states.filter((state) => state === "Z").length,
  };
}

/**
 * How many times longer a process takes since others have the processor: the time that it ran or
 * waited for its turn, by the time that it ran. 1 beside nothing, and where the kernel does not tell.
 */
export function slownessOf(pid: number): number {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, "utf8")
    .split(" ")
    .map(Number);
  return ran > 0 ? (ran + waited) / ran : 1;
}

function ownKib(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Private_Dirty:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? Number.NaN);
}

function bytesIn(folder: string): number {
  const sizes = readdirSync(folder).map((name) => {
    try {
      return statSync(join(folder, name)).size;
    } catch {
      // A file that was being written is renamed by now.
      return 0;
    }
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

function descriptorsOf(pid: number): string[] {
  const sockets = tcpSockets(pid);
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${name}`);
      return [sockets.get(target) ?? target.replace(/\[\d+\]/, "")];
    } catch {
      // It has been closed since the listing.
      return [];
    }
  });
}

/** The state (01: connected, 0A: listens) and the peer of each TCP socket, as the kernel writes them. */
function tcpSockets(pid: number): Map<string, string> {
  const rows = readFileSync(`/proc/${pid}/net/tcp`, "utf8").trim().split("\n").slice(1);
  return new Map(
    rows.map((row) => {
      const [, , peer = "", state = "", , , , , , inode = ""] = row.trim().split(/\s+/);
      return [`socket:[${inode}]`, `TCP ${state} of ${peer}`];
    }),
  );
}

/** Those that were not there before, such as `3 pipe:, 2 TCP 01 of 0100007F:B008`. */
export function added(before: readonly string[], after: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const one of after) counts.set(one, (counts.get(one) ?? 0) + 1);
  for (const one of before) counts.set(one, (counts.get(one) ?? 0) - 1);
  const more = [...counts].filter(([, count]) => count > 0);
  return more.map(([one, count]) => `${count} ${one}`).join(", ");
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
