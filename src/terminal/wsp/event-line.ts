/** What one line of the event stream means for a watcher. */
export type EventLine =
  | { kind: "started" }
  /** A pane's status, which is never replayed. */
  | { kind: "status" }
  /** Anything else that happened; at first that is history. */
  | { kind: "general" }
  /** A line that no server of this protocol writes. */
  | { kind: "wrong"; why: string };

/** Told for all panes at once; a status is asked for pane by pane. */
const GENERAL = [
  ...["pane.created", "pane.closed", "pane.exited", "pane.moved", "pane.updated"],
  ...["pane.agent_detected", "tab.renamed", "workspace.renamed"],
];
const STATUS_EVENT = "pane.agent_status_changed";

export function subscription(id: string, agentPanes: readonly string[]): string {
  const subscriptions = [
    ...GENERAL.map((type) => ({ type })),
    ...agentPanes.map((pane_id) => ({ type: STATUS_EVENT, pane_id })),
  ];
  return JSON.stringify({ id, method: "events.subscribe", params: { subscriptions } });
}

/** Reads one line; the first must be the acknowledgement of this subscription. */
export function readEventLine(line: string, id: string, isFirst: boolean): EventLine {
  const value = jsonOf(line);
  if (typeof value !== "object" || value === null) return wrong("it is no object");
  if (isFirst) return isAcknowledgement(value, id) ? { kind: "started" } : wrong("it is no start");
  if (!("event" in value) || typeof value.event !== "string") return wrong("it names no event");
  if (!("data" in value) || typeof value.data !== "object" || value.data === null)
    return wrong("it has no data");
  return { kind: value.event === STATUS_EVENT ? "status" : "general" };
}

function isAcknowledgement(value: object, id: string): boolean {
  if (!("id" in value) || value.id !== id || !("result" in value)) return false;
  const { result } = value;
  if (typeof result !== "object" || result === null || !("type" in result)) return false;
  return result.type === "subscription_started";
}

function wrong(why: string): EventLine {
  return { kind: "wrong", why };
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Told as wrong by the caller, as everything else that is no event.
    return null;
  }
}
