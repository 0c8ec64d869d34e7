import type { PaneProcess } from "../provider.ts";
import type { Channel } from "./channel.ts";
import { isGone, parse, WireProcessInfo, WspRefusal } from "./parse.ts";
import { REQUESTS } from "./requests.ts";
import type { SnapshotPane } from "./snapshot.ts";

export interface SessionProcesses {
  group: number | null;
  list: readonly PaneProcess[];
  names: readonly string[];
  /** What stood in the listing when they were asked for. */
  basis: string;
  atMs: number;
}

/** Refusals that the same request will meet again. */
const NEVER: ReadonlySet<string> = new Set(["invalid_request", "not_implemented"]);

/**
 * Null where the session does not tell: they help to recognise a program and to tell two apart, but
 * nothing depends on them alone.
 */
export async function readForeground(
  { channel, nowMs }: { channel: Channel; nowMs: () => number },
  at: SnapshotPane,
  signal: AbortSignal,
): Promise<SessionProcesses | null> {
  if (!channel.tellsProcesses) return null;
  const { pane } = at.route;
  const result = await channel.ask(REQUESTS.processes(pane), signal).catch((error: unknown) => {
    const isRefused = error instanceof WspRefusal && error.category === "command_failed";
    if (!isRefused || isGone(error)) throw error;
    if (NEVER.has(error.code)) channel.forgoProcesses();
    return null;
  });
  if (!result) return null;
  const { process_info } = parse(WireProcessInfo, result, "pane process-info");
  // An old id leads to where its pane has moved: that pane's processes are the next pass's to read.
  if (process_info.pane_id !== pane) return null;
  const { foreground_processes: processes } = process_info;
  return {
    group: process_info.foreground_process_group_id ?? null,
    list: processes.map(({ pid, name, argv }) => ({
      pid,
      startedAt: null,
      args: argv && argv.length > 0 ? argv : [name ?? ""],
    })),
    names: processes.map(({ name, argv }) => name ?? argv?.[0] ?? ""),
    basis: processesBasis(at),
    atMs: nowMs(),
  };
}

// What an agent's process can be seen to change with, without asking for it.
export function processesBasis({ wire, agent }: SnapshotPane): string {
  return `${wire.agent ?? ""} ${agent?.state_change_seq ?? ""}`;
}
