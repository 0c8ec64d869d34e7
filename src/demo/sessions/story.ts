import { type AgentState, type SampleAnswer, wroteOf } from "../agent.ts";
import {
  type PermissionRequest,
  planAt,
  type PlanRequest,
  type QuestionRequest,
  requestAt,
  type SampleRequest,
  type Script,
} from "../scripts.ts";

/** One thing that happens in a sample session, whatever its runtime writes of it. */
export type SessionEntry =
  | { kind: "prompt"; text: string }
  | { kind: "says"; text: string }
  | { kind: "plan"; lines: readonly PlanLine[] }
  | { kind: "asks"; request: QuestionRequest }
  | { kind: "runs"; request: PermissionRequest }
  | { kind: "proposes"; request: PlanRequest }
  | { kind: "answered"; request: QuestionRequest; answer: SampleAnswer }
  | { kind: "ran" }
  | { kind: "approved"; request: PlanRequest }
  /** A plan, with what should be different. */
  | { kind: "sent_back"; words: string }
  | { kind: "declined" }
  /** A limit of use has ended its turn; `resetsAt` in epoch seconds. */
  | { kind: "limited"; notice: string; resetsAt: number }
  | { kind: "fills"; percent: number }
  | { kind: "rests" };

interface PlanLine {
  title: string;
  status: "pending" | "in_progress" | "completed" | "blocked";
}

/** A plan whose lines before `current` are done, and what blocks it. */
export function planOf(titles: readonly string[], current: number, blocker?: string): SessionEntry {
  const lines = titles.map((title, index) => ({ title, status: statusOf(index, current) }));
  if (blocker === undefined) return { kind: "plan", lines };
  return { kind: "plan", lines: [...lines, { title: blocker, status: "blocked" }] };
}

function statusOf(index: number, current: number): PlanLine["status"] {
  if (index === current) return "in_progress";
  return index < current ? "completed" : "pending";
}

/** What a sample agent's log says when it has come from one state to the next; null: its start. */
export function entriesOf(
  before: AgentState | null,
  after: AgentState,
  script: Script,
): SessionEntry[] {
  if (before === null && after.phase === "idle") return [];
  if (before === null)
    return [{ kind: "prompt", text: script.task }, ...asking(script, after.request)];
  const request = requestAt(script, after.request);
  if (before.phase === after.phase)
    return after.isHalfway && !before.isHalfway ? [{ kind: "says", text: request.note }] : [];
  switch (after.phase) {
    case "asking":
      return asking(script, after.request);
    case "working":
      return before.phase === "asking" && after.answer
        ? answered(script, before.request, after.answer)
        : resumed(before.typed);
    case "idle":
      return [
        ...(before.phase === "asking" ? [{ kind: "declined" } as const] : []),
        { kind: "rests" },
      ];
  }
}

function asking(script: Script, place: number): SessionEntry[] {
  const request = requestAt(script, place);
  const { titles, done } = planAt(script, place);
  return [planOf(titles, done, request.blocker), ...putting(request)];
}

function putting(request: SampleRequest): SessionEntry[] {
  switch (request.ask) {
    case "permission":
      return [{ kind: "runs", request }];
    case "question":
      return [
        { kind: "says", text: "I need a decision before I go on." },
        { kind: "asks", request },
      ];
    case "plan":
      return [{ kind: "proposes", request }];
  }
}

function answered(script: Script, place: number, answer: SampleAnswer): SessionEntry[] {
  const { titles, done } = planAt(script, place);
  return [...taking(requestAt(script, place), answer), planOf(titles, done + 1)];
}

function taking(request: SampleRequest, answer: SampleAnswer): SessionEntry[] {
  switch (request.ask) {
    case "permission":
      return [{ kind: "ran" }, { kind: "says", text: `Done: ${request.about.toLowerCase()}.` }];
    case "question":
      return [
        { kind: "answered", request, answer },
        { kind: "says", text: goingWith(answer) },
      ];
    case "plan":
      return answer.isWritten
        ? [
            { kind: "sent_back", words: answer.label },
            { kind: "says", text: "I change the plan and go on." },
          ]
        : [
            { kind: "approved", request },
            { kind: "says", text: "The plan is approved: I begin with its first line." },
          ];
  }
}

function goingWith({ label, note, isWritten }: SampleAnswer): string {
  if (isWritten) return `Noted: ${label}`;
  return note === "" ? `Going with ${label}.` : `Noted: ${note}`;
}

function resumed(typed: string): SessionEntry[] {
  if (typed === "") return [{ kind: "prompt", text: "Go on with the next step" }];
  return [
    { kind: "prompt", text: typed },
    { kind: "says", text: wroteOf(typed) },
  ];
}
