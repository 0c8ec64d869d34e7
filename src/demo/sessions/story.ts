import type { AgentState } from "../agent.ts";
import type { Request } from "../requests.ts";
import { type Entry, planOf } from "./entry.ts";

/** What a sample agent's log says when it has come from one state to the next; null: its start. */
export function entriesOf(
  before: AgentState | null,
  after: AgentState,
  requests: readonly Request[],
): Entry[] {
  const [request, next] = [requests[before?.request ?? 0], requests[after.request]];
  if (!request || !next || before?.phase === after.phase) return [];
  if (before === null) return [{ kind: "prompt", text: next.task }, ...asking(next, requests)];
  switch (after.phase) {
    case "asking":
      return asking(next, requests);
    case "working":
      return before.phase === "asking"
        ? answered(request, after.told.at(-1) ?? "")
        : [{ kind: "prompt", text: before.typed || "Go on with the next step" }];
    case "idle":
      return [
        ...(before.phase === "asking" ? [{ kind: "declined" } as const] : []),
        { kind: "rests" },
      ];
  }
}

function asking(request: Request, requests: readonly Request[]): Entry[] {
  const plan = planOf(
    requests.map(({ doing }) => doing),
    requests.indexOf(request),
  );
  if (request.ask === "permission") return [plan, { kind: "runs", request }];
  return [
    plan,
    { kind: "says", text: "I need a decision before I go on." },
    { kind: "asks", request },
  ];
}

/** The screen says `topic: answer`. */
function answered(request: Request, told: string): Entry[] {
  if (request.ask === "permission")
    return [{ kind: "ran" }, { kind: "says", text: `Done: ${request.about.toLowerCase()}.` }];
  const label = told.slice(`${request.topic}: `.length);
  return [
    { kind: "answered", request, label },
    { kind: "says", text: `Going with ${label}.` },
  ];
}
