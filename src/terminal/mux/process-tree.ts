// Which processes are in front of a pane.
import { parseChildren, parseStat, type ProcStat } from "../../lib/procfs.ts";
import type { Proc } from "./proc.ts";

const MAX_MEMBERS = 32;
/** However deep, and of one process: a reader that is not found would count as none. */
const MAX_DESCENDANTS = 256;

/** The processes of a machine, by /proc or by `ps`. */
export interface ProcessTree {
  /** Null where it has ended. */
  stat(pid: number): Pick<ProcStat, "name" | "parent" | "group" | "terminal" | "foreground"> | null;
  children(pid: number): readonly number[];
}

export function treeOf(proc: Proc): ProcessTree {
  const find = (path: string) => {
    try {
      return proc.read(path);
    } catch {
      // It has ended.
      return null;
    }
  };
  return {
    stat: (pid) => parseStat(find(`${pid}/stat`)),
    children: (pid) => parseChildren(find(`${pid}/task/${pid}/children`)).slice(0, MAX_DESCENDANTS),
  };
}

/** The leader of the foreground group of the terminal that this process, a pane's first, is in. */
export function foregroundLeader(tree: ProcessTree, root: number): number | null {
  const stat = tree.stat(root);
  return stat && stat.foreground > 0 ? stat.foreground : null;
}

/**
 * The foreground group, its leader first, then what is beside it in a pipeline, then what they
 * started in the group. The first process of a pipeline leads the group and may have ended: the
 * others are then looked for among the descendants of the pane's own process.
 */
export function foregroundGroup(tree: ProcessTree, root: number): number[] {
  const leader = foregroundLeader(tree, root);
  if (leader === null) return [];
  const first = tree.stat(leader);
  const siblings = first && leader !== root ? tree.children(first.parent) : [];
  const isInGroup = (pid: number) => tree.stat(pid)?.group === leader;
  const pids = new Set([leader, ...(first ? siblings : descendants(tree, root))].filter(isInGroup));
  for (const pid of pids)
    for (const child of tree.children(pid))
      if (pids.size < MAX_MEMBERS && !pids.has(child) && isInGroup(child)) pids.add(child);
  const group = [...pids];
  return [...group, ...group.flatMap((pid) => innerPids(tree, pid))];
}

/** All that may read the terminal of a pane. */
export function readersOf(tree: ProcessTree, root: number): number[] {
  const pids = foregroundGroup(tree, root);
  const wrapped = pids.findIndex((pid) => WRAPPER.test(tree.stat(pid)?.name ?? ""));
  // The program behind a wrapper has a terminal of its own.
  const front = pids.length > wrapped + 1 ? pids.slice(wrapped + 1) : pids;
  // A descendant in a session of its own may read the terminal all the same.
  return [...new Set([...front, ...front.flatMap((pid) => descendants(tree, pid))])];
}

/** Programs that run another one in a terminal of its own and pass its screen through. */
const WRAPPER = /^(?:sudo|sudo-rs|doas|su|run0|script|unbuffer)$/;

/** The foreground of the terminal that a wrapper made for its program. */
function innerPids(tree: ProcessTree, pid: number): number[] {
  const outer = tree.stat(pid);
  if (!outer || !WRAPPER.test(outer.name)) return [];
  return descendants(tree, pid).filter((child) => {
    const stat = tree.stat(child);
    return stat?.group === stat?.foreground && stat?.terminal !== outer.terminal;
  });
}

/** Nearest first. */
function descendants(tree: ProcessTree, root: number): number[] {
  const pids = new Set([root]);
  for (const pid of pids) {
    if (pids.size > MAX_DESCENDANTS) break;
    for (const child of tree.children(pid)) pids.add(child);
  }
  pids.delete(root);
  return [...pids];
}
