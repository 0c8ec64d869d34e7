import type { Request } from "../requests.ts";

export type QuestionRequest = Extract<Request, { ask: "question" }>;
export type PermissionRequest = Extract<Request, { ask: "permission" }>;

/** One thing that happens in a sample session, whatever its runtime writes of it. */
export type Entry =
  | { kind: "prompt"; text: string }
  | { kind: "says"; text: string }
  | { kind: "plan"; lines: readonly PlanLine[] }
  | { kind: "asks"; request: QuestionRequest }
  | { kind: "runs"; request: PermissionRequest }
  | { kind: "answered"; request: QuestionRequest; label: string }
  | { kind: "ran" }
  | { kind: "declined" }
  | { kind: "rests" };

export interface PlanLine {
  title: string;
  status: "pending" | "in_progress" | "completed";
}

/** Turns what happens into the lines of a log. */
export interface LogFormat {
  /** Below the home of the runtime. */
  readonly path: string;
  open(): object[];
  records(entry: Entry): object[];
}

export interface SessionFacts {
  id: string;
  /** Folder in which the agent works. */
  cwd: string;
  /** Epoch milliseconds. */
  nowMs: () => number;
  newId: () => string;
}

/** A plan whose lines before `current` are done. */
export function planOf(titles: readonly string[], current: number): Entry {
  const lines = titles.map((title, index) => ({ title, status: statusOf(index, current) }));
  return { kind: "plan", lines };
}

function statusOf(index: number, current: number): PlanLine["status"] {
  if (index === current) return "in_progress";
  return index < current ? "completed" : "pending";
}
