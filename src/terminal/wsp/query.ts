import { getPane, processInfo, readPane, SNAPSHOT, type ReadSource } from "./arguments.ts";
import { WspFailure } from "./failure.ts";
import { parse, WireRead } from "./parse.ts";

/** What is asked of the session; nothing of it changes anything there. */
export type Query =
  | { ask: "snapshot" }
  | { ask: "pane"; pane: string }
  | { ask: "processes"; pane: string }
  | { ask: "read"; pane: string; source: ReadSource; lines: number };

/** Ids under which the executable prints what it was asked for. */
export const ENVELOPES = {
  snapshot: "cli:api:snapshot",
  pane: "cli:pane:get",
  processes: "cli:pane:process_info",
} as const;

export function wordsOf(query: Query): string[] {
  switch (query.ask) {
    case "snapshot":
      return SNAPSHOT;
    case "pane":
      return getPane(query.pane);
    case "processes":
      return processInfo(query.pane);
    case "read":
      return readPane(query.pane, query.source, query.lines);
  }
}

export function requestOf(query: Query): { method: string; params: Record<string, unknown> } {
  switch (query.ask) {
    case "snapshot":
      return { method: "session.snapshot", params: {} };
    case "pane":
      return { method: "pane.get", params: { pane_id: query.pane } };
    case "processes":
      return { method: "pane.process_info", params: { pane_id: query.pane } };
    case "read":
      return { method: "pane.read", params: readParams(query) };
  }
}

// The same two forms as `readPane`, in the socket's spelling.
function readParams({ pane, source, lines }: Query & { ask: "read" }): Record<string, unknown> {
  if (source === "detection") return { pane_id: pane, source };
  return { pane_id: pane, source: "recent_unwrapped", lines, format: "ansi" };
}

/** The text of a read, which must be of the pane that was asked for. */
export function readText(result: Record<string, unknown>, pane: string): string {
  const { read } = parse(WireRead, result, "pane read");
  if (read.pane_id !== pane)
    throw new WspFailure("inconsistent", `${pane} was asked for, ${read.pane_id} was read`);
  return read.text;
}
