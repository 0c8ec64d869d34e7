import type { AgentState } from "../agent.ts";
import { type MenuRow, menuOf } from "../menu.ts";
import {
  type PermissionRequest,
  type PlanRequest,
  type QuestionRequest,
  type Request,
  requestAt,
  type Script,
} from "../requests.ts";
import { fitted, type Size } from "./size.ts";

/** The first line of each sample agent that is drawn here. */
export const SAMPLE_LINE =
  " Sample agent of `panewatch demo`: it draws the dialogs of Claude Code and runs nothing.";

const SPINNER = ["·", "✢", "✳", "✶", "✻", "✽"];

/** The whole screen, row by row, drawn as Claude Code draws these states. */
export function drawAgentA(state: AgentState, script: Script, size: Size): string[] {
  const request = requestAt(script, state.request);
  const task = script.task === "" ? [] : [`❯ ${script.task}`, ""];
  const transcript = [
    SAMPLE_LINE,
    "",
    ...task,
    ...state.told.flatMap((words) => [`● ${words}`, ""]),
  ];
  const isAsking = state.phase === "asking";
  const seconds = state.phase === "working" ? state.now - state.since : null;
  const composer = { doing: request.doing, seconds, typed: state.typed };
  const below = isAsking ? dialog(state, request, size) : drawComposer(composer, size);
  return fitted(transcript, below, size);
}

function dialog(state: AgentState, request: Request, size: Size): string[] {
  const rows = menuOf(request, "agent_a").map((row, index) => menuRow(state, row, index));
  switch (request.ask) {
    case "permission":
      return permission(request, rows, size);
    case "question":
      return question(request, rows, size);
    case "plan":
      return plan(request, rows, size);
  }
}

/** Its label, and below it its description. */
function menuRow(
  state: AgentState,
  { label, description, does }: MenuRow,
  index: number,
): string[] {
  const isWritten = does === "write" && state.typed !== "";
  const shown = isWritten ? state.typed.replaceAll("\n", "\n   ") : label;
  const row = `${index === state.focus ? "❯" : " "} ${index + 1}. ${shown}`;
  return description === "" ? [row] : [row, `     ${description}`];
}

function permission(request: PermissionRequest, rows: string[][], size: Size): string[] {
  return [
    ...[`● ${request.doing}`, `  ⎿  $ ${request.command}`, "", ruleOf(size), " Bash command", ""],
    ...[`   ${request.command}`, `   ${request.about}`, "", " Do you want to proceed?"],
    ...rows.flat().map((row) => ` ${row}`),
    ...["", " Esc to cancel · Tab to amend"],
  ];
}

function question(request: QuestionRequest, rows: string[][], size: Size): string[] {
  return [
    ...["● I need a decision before I go on.", "", ruleOf(size), ` ☐ ${request.topic}`, ""],
    ...[request.question, "", ...rows.slice(0, -1).flat(), ruleOf(size)],
    ...[...(rows.at(-1) ?? []), "", "Enter to select · ↑/↓ to navigate · Esc to cancel"],
  ];
}

function plan(request: PlanRequest, rows: string[][], size: Size): string[] {
  const width = Math.max(0, size.columns - 4);
  const dashes = `  ${"╌".repeat(width)}`;
  const lines = request.lines.map((line, index) => `   ${index + 1}. ${line}`);
  return [
    ...["  ⎿  /plan to preview", "▔".repeat(size.columns), "   Ready to code?"],
    ...[dashes, `   ${request.title}`, "", ...lines, dashes, "", `  ${"─".repeat(width)}`],
    "   Claude has written up a plan and is ready to execute. Would you like to proceed?",
    ...rows.flat().map((row) => `   ${row}`),
    ...["", `   ctrl+g to edit in Vim · ~/.claude/plans/${request.file}`],
  ];
}

/** The input line, and above it what is done; `seconds`: for how long, null at rest. */
export function drawComposer(
  { doing, seconds, typed }: { doing: string; seconds: number | null; typed: string },
  size: Size,
): string[] {
  const glyph = SPINNER[Math.floor((seconds ?? 0) * 4) % SPINNER.length];
  const hint = seconds === null ? "? for shortcuts" : "esc to interrupt";
  const activity = `${glyph} ${doing}… (${Math.floor(seconds ?? 0)}s · esc to interrupt)`;
  return [
    ...(seconds === null ? [] : [activity, ""]),
    ...[ruleOf(size), `❯ ${typed}`, ruleOf(size)],
    `  ⏸ manual mode on · ${hint} · ← for agents`,
  ];
}

function ruleOf({ columns }: Size): string {
  return "─".repeat(columns);
}
