import type { Answer } from "../agent.ts";
import type { PermissionRequest, PlanRequest, QuestionRequest } from "../requests.ts";

/** One thing that happens in a sample session, whatever its runtime writes of it. */
export type Entry =
  | { kind: "prompt"; text: string }
  | { kind: "says"; text: string }
  | { kind: "plan"; lines: readonly PlanLine[] }
  | { kind: "asks"; request: QuestionRequest }
  | { kind: "runs"; request: PermissionRequest }
  | { kind: "proposes"; request: PlanRequest }
  | { kind: "answered"; request: QuestionRequest; answer: Answer }
  | { kind: "ran" }
  | { kind: "approved"; request: PlanRequest }
  /** A plan, with what should be different. */
  | { kind: "sent_back"; words: string }
  | { kind: "declined" }
  /** A limit of use has ended its turn; `resetsAt` in epoch seconds. */
  | { kind: "limited"; notice: string; resetsAt: number }
  | { kind: "fills"; percent: number }
  | { kind: "rests" };

export interface PlanLine {
  title: string;
  status: "pending" | "in_progress" | "completed" | "blocked";
}

/** A plan whose lines before `current` are done, and what blocks it. */
export function planOf(titles: readonly string[], current: number, blocker?: string): Entry {
  const lines = titles.map((title, index) => ({ title, status: statusOf(index, current) }));
  if (blocker === undefined) return { kind: "plan", lines };
  return { kind: "plan", lines: [...lines, { title: blocker, status: "blocked" }] };
}

function statusOf(index: number, current: number): PlanLine["status"] {
  if (index === current) return "in_progress";
  return index < current ? "completed" : "pending";
}
