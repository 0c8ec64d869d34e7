import { z } from "zod";
import { parseJson } from "../../lib/json.ts";

/** What one line of the event stream means for a watcher. */
export type EventLine =
  | { kind: "started" }
  /** A pane's status, which is never replayed. */
  | { kind: "status" }
  /** Anything else that happened; at first that is history. */
  | { kind: "general" }
  /** A line that no server of this protocol writes. */
  | { kind: "wrong"; why: string };

/**
 * Told for all panes at once; a status is asked for pane by pane. Not `pane.updated`: an agent that
 * waits may change its title each second, and a title can wait for the next pass.
 */
const GENERAL = [
  ...["pane.created", "pane.closed", "pane.exited", "pane.moved"],
  ...["pane.agent_detected", "tab.renamed", "workspace.renamed"],
];
const STATUS_EVENT = "pane.agent_status_changed";

const WireStart = z.object({
  id: z.string(),
  result: z.object({ type: z.literal("subscription_started") }),
});
const WireEvent = z.object({ event: z.string(), data: z.record(z.string(), z.unknown()) });

export function subscription(id: string, agentPanes: readonly string[]): string {
  const subscriptions = [
    ...GENERAL.map((type) => ({ type })),
    ...agentPanes.map((pane_id) => ({ type: STATUS_EVENT, pane_id })),
  ];
  return JSON.stringify({ id, method: "events.subscribe", params: { subscriptions } });
}

/** Reads one line; the first must be the acknowledgement of this subscription. */
export function readEventLine(line: string, id: string, isFirst: boolean): EventLine {
  const value = parseJson(line);
  if (isFirst) {
    const isStart = WireStart.safeParse(value).data?.id === id;
    return isStart ? { kind: "started" } : { kind: "wrong", why: "it is no start" };
  }
  const { data: said } = WireEvent.safeParse(value);
  if (!said) return { kind: "wrong", why: "it is no event" };
  return { kind: said.event === STATUS_EVENT ? "status" : "general" };
}
