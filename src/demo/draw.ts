import type { AgentState } from "./agent.ts";
import { fill, menuOf, type Parts, requestAt, type SampleRow, type Script } from "./scripts.ts";
import composer from "./screens/claude-composer.txt";
import permission from "./screens/claude-permission.txt";
import plan from "./screens/claude-plan.txt";
import question from "./screens/claude-question.txt";
import codexQuestion from "./screens/codex-question.txt";
import turn from "./screens/codex-turn.txt";

export interface Size {
  columns: number;
  rows: number;
}

const CLAUDE = { permission, question, plan };
const SPINNER = ["·", "✢", "✳", "✶", "✻", "✽"];

/** The whole screen of a sample agent, row by row, as its runtime draws these states. */
export function draw(state: AgentState, script: Script, size: Size): string[] {
  const { phase, now, since, typed, told, isNoting } = state;
  const request = requestAt(script, state.request);
  const rows = menuOf(request, script.runtime);
  const seconds = phase === "working" ? now - since : null;
  if (script.runtime === "agent_a") {
    const said = told.flatMap((words) => [`● ${words}`, ""]);
    const parts = { told: script.task === "" ? said : [`❯ ${script.task}`, "", ...said] };
    if (phase !== "asking")
      return drawComposer({ ...parts, doing: request.doing, seconds, typed }, size);
    const menu = rows.map((row, index) => menuRow(state, row, index));
    const last = request.ask === "question" ? (menu.pop() ?? []) : [];
    const lines = request.ask === "plan" ? request.lines : [];
    const numbered = lines.map((line, index) => `${index + 1}. ${line}`);
    const more = { ...parts, menu: menu.flat(), last, lines: numbered };
    return drawn(CLAUDE[request.ask], { ...request, ...more }, size);
  }
  const turn = { prompt: script.task, said: told, seconds, typed };
  if (phase !== "asking" || request.ask !== "question") return drawTurn(turn, size);
  const width = Math.max(...rows.map(({ label }) => label.length));
  const menu = rows.map(({ label, description }, index) => {
    const cursor = index === state.focus ? "›" : " ";
    return `  ${cursor} ${index + 1}. ${label.padEnd(width)}  ${description}`;
  });
  const notes = isNoting ? ["", `  › ${typed === "" ? "Add notes" : typed}`] : [];
  const keys = isNoting
    ? "tab or esc to clear notes | enter to submit answer"
    : "tab to add notes | enter to submit answer | esc to interrupt";
  const said = toldOf({ ...turn, said: [...told, "I need a decision before I go on."] });
  return drawn(codexQuestion, { told: said, question: request.question, menu, notes, keys }, size);
}

/** Its label, and below it its description. */
function menuRow(state: AgentState, { label, description, does }: SampleRow, index: number) {
  const isWritten = does === "write" && state.typed !== "";
  const shown = isWritten ? state.typed.replaceAll("\n", "\n   ") : label;
  const row = `${index === state.focus ? "❯" : " "} ${index + 1}. ${shown}`;
  return description === "" ? [row] : [row, `     ${description}`];
}

/** Claude Code without a dialog; `seconds`: how long it has worked, null at rest. */
export function drawComposer(
  parts: { told: readonly string[]; doing: string; seconds: number | null; typed: string },
  size: Size,
): string[] {
  const { doing, seconds } = parts;
  const glyph = SPINNER[Math.floor((seconds ?? 0) * 4) % SPINNER.length];
  const activity = `${glyph} ${doing}… (${Math.floor(seconds ?? 0)}s · esc to interrupt)`;
  const state =
    seconds === null
      ? { hint: "? for shortcuts", activity: [] }
      : { hint: "esc to interrupt", activity: [activity, ""] };
  return drawn(composer, { ...parts, ...state }, size);
}

/** One turn of Codex without a question; `seconds`: how long it has worked, null at rest. */
interface Turn {
  prompt: string;
  said: readonly string[];
  seconds: number | null;
  typed: string;
  /** What waits for the end of the turn. */
  queued?: readonly string[];
  /** Of its context, in percent. */
  filled?: number;
}

export function drawTurn(state: Turn, size: Size): string[] {
  const { seconds, typed, queued = [], filled } = state;
  const activity =
    seconds === null
      ? "  Worked for 12s"
      : `◦ Working (${Math.floor(seconds)}s • esc to interrupt)`;
  const context = filled === undefined ? "" : ` · ${filled}% context used`;
  const rows = queued.map((text) => `  ↳ ${text}`);
  const waiting = rows.length === 0 ? [] : ["", "• Queued follow-up inputs", ...rows];
  return drawn(turn, { told: toldOf(state), activity, queued: waiting, typed, context }, size);
}

function toldOf({ prompt, said }: Pick<Turn, "prompt" | "said">): string[] {
  const begin = prompt === "" ? [] : [`› ${prompt}`, "", ""];
  return [...begin, ...said.flatMap((words) => [`• ${words}`, ""])];
}

/**
 * A recorded screen with its parts. A row of one part stands for all of its rows, one of a single
 * sign in braces is a line of it. What ends with `told` is cut from above where there is no room.
 */
function drawn(screen: string, parts: Parts, { columns, rows }: Size): string[] {
  const recorded = screen.replace(/\n$/, "").split("\n");
  const draw = (row: string) => {
    const [, indent = "", name = ""] = /^( *)\{([^{}]+)\}$/.exec(row) ?? [];
    const part = parts[name];
    if (Array.isArray(part)) return part.map((text) => indent + text);
    if (!/^\W$/u.test(name)) return [String(fill(row, parts))];
    return [indent + name.repeat(Math.max(0, columns - 2 * indent.length))];
  };
  // A text of several lines goes on below its mark, as the real ones draw it.
  const rowsOf = (some: readonly string[]) =>
    some.flatMap(draw).flatMap((text) => text.replaceAll("\n", "\n  ").split("\n"));
  const end = recorded.indexOf("{told}") + 1;
  const [above, below] = [rowsOf(recorded.slice(0, end)), rowsOf(recorded.slice(end))];
  // `slice(-0)` would be all of it.
  const from = Math.max(0, above.length - Math.max(0, rows - below.length));
  const all = [...above.slice(from), ...below];
  return all.map((row) => [...row].slice(0, columns).join(""));
}
