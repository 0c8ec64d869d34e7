import type { AgentState } from "../agent.ts";
import { menuOf } from "../menu.ts";
import { type QuestionRequest, requestAt, type Script } from "../requests.ts";
import { fitted, type Size } from "./size.ts";

/** The whole screen, row by row, drawn as Codex draws these states. */
export function drawAgentB(state: AgentState, script: Script, size: Size): string[] {
  const { task: prompt } = script;
  const request = requestAt(script, state.request);
  if (state.phase === "asking" && request.ask === "question") {
    const said = [...state.told, "I need a decision before I go on."];
    return fitted(transcriptOf({ prompt, said }), dialog(state, request), size);
  }
  const seconds = state.phase === "working" ? Math.floor(state.now - state.since) : null;
  return drawTurn({ prompt, said: state.told, seconds, typed: state.typed }, size);
}

/** One turn without a question; `seconds`: how long it has worked, null at rest. */
export interface Turn {
  prompt: string;
  said: readonly string[];
  seconds: number | null;
  typed: string;
  /** What waits for the end of the turn. */
  queued?: readonly string[];
  /** Of its context, in percent. */
  filled?: number;
}

export function drawTurn(turn: Turn, size: Size): string[] {
  const { seconds, typed, queued = [], filled } = turn;
  const activity =
    seconds === null ? "  Worked for 12s" : `◦ Working (${seconds}s • esc to interrupt)`;
  const context = filled === undefined ? "" : ` · ${filled}% context used`;
  const hints = [`  Sample · demo${context}`, "  ← for agents · ? for shortcuts"];
  const waiting = queued.map((text) => `  ↳ ${text}`);
  const rows = waiting.length === 0 ? [] : ["", "• Queued follow-up inputs", ...waiting];
  return fitted(transcriptOf(turn), [activity, ...rows, "", "", `› ${typed}`, "", ...hints], size);
}

function transcriptOf({ prompt, said }: Pick<Turn, "prompt" | "said">): string[] {
  return [
    ...["", "  >_ OpenAI Codex (v0.169.0)"],
    ...["     sample agent of `panewatch demo`: it runs nothing", "", ""],
    ...(prompt === "" ? [] : [`› ${prompt}`, "", ""]),
    ...said.flatMap((words) => [`• ${words}`, ""]),
  ];
}

function dialog(state: AgentState, request: QuestionRequest): string[] {
  const rows = menuOf(request, "agent_b");
  const width = Math.max(...rows.map(({ label }) => label.length));
  const drawn = rows.map(({ label, description }, index) => {
    const cursor = index === state.focus ? "›" : " ";
    return `  ${cursor} ${index + 1}. ${label.padEnd(width)}  ${description}`;
  });
  const notes = ["", `  › ${state.typed === "" ? "Add notes" : state.typed}`];
  const keys = state.isNoting ? "tab or esc to clear notes" : "tab to add notes";
  const escape = state.isNoting ? "" : " | esc to interrupt";
  return [
    ...["", "", "  Question 1/1 (1 unanswered)", `  ${request.question}`, "", ...drawn],
    ...(state.isNoting ? notes : []),
    ...["", `  ${keys} | enter to submit answer${escape}`],
  ];
}
