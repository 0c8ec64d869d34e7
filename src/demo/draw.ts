import { type AgentState, limitNotice, type SampleAgent } from "./agent.ts";
import { fill, menuOf, type Parts, type SampleRow } from "./scripts.ts";
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

/** The whole screen, row by row, as the real runtime draws it. */
export function draw(agent: SampleAgent, size: Size): string[] {
  return agent.script.runtime === "agent_a" ? drawClaude(agent, size) : drawCodex(agent, size);
}

function drawClaude({ state, step, seconds, script }: SampleAgent, size: Size): string[] {
  const { phase, prompt, messages, draft, queued, resetsAt } = state;
  const notice = resetsAt === null ? [] : [`  ⎿  ${limitNotice(resetsAt)}`, ""];
  const message = prompt === "" ? [] : [`❯ ${prompt}`, ""];
  const history = [...message, ...messages.flatMap((words) => [`● ${words}`, ""]), ...notice];
  if (phase === "asking" && step.ask) {
    const rows = menuOf(step, script.runtime).map((row, index) => menuRow(state, row, index));
    const last = step.ask === "question" ? (rows.pop() ?? []) : [];
    const lines = step.ask === "plan" ? step.lines : [];
    const numbered = lines.map((line, index) => `${index + 1}. ${line}`);
    const parts = { ...step, history, menu: rows.flat(), last, lines: numbered };
    return fillScreen(CLAUDE[step.ask], parts, size);
  }
  const isWorking = phase === "working";
  const glyph = SPINNER[Math.floor(seconds * 4) % SPINNER.length];
  const activity = `${glyph} ${step.doing}… (${Math.floor(seconds)}s · esc to interrupt)`;
  const parts = {
    history,
    hint: isWorking ? "esc to interrupt" : "? for shortcuts",
    activity: isWorking ? [activity, ""] : [],
    draft: draft === "" && queued.length > 0 ? "Press up to edit queued messages" : draft,
  };
  return fillScreen(composer, parts, size);
}

function menuRow(state: AgentState, { label, description, does }: SampleRow, index: number) {
  const hasText = does === "write" && state.words !== "";
  const text = hasText ? state.words.replaceAll("\n", "\n   ") : label;
  const row = `${index === state.focus ? "❯" : " "} ${index + 1}. ${text}`;
  return description === "" ? [row] : [row, `     ${description}`];
}

function drawCodex({ state, step, seconds, script }: SampleAgent, size: Size): string[] {
  const { phase, prompt, messages, draft, queued, contextPercent } = state;
  const { focus, words, hasNotesOpen } = state;
  const message = prompt === "" ? [] : [`› ${prompt}`, "", ""];
  const history = [...message, ...messages.flatMap((text) => [`• ${text}`, ""])];
  if (phase === "asking" && step.ask === "question") {
    const rows = menuOf(step, script.runtime);
    const width = Math.max(...rows.map(({ label }) => label.length));
    const menu = rows.map(({ label, description }, index) => {
      const cursor = index === focus ? "›" : " ";
      return `  ${cursor} ${index + 1}. ${label.padEnd(width)}  ${description}`;
    });
    const notes = hasNotesOpen ? ["", `  › ${words || "Add notes"}`] : [];
    const keys = hasNotesOpen
      ? "tab or esc to clear notes | enter to submit answer"
      : "tab to add notes | enter to submit answer | esc to interrupt";
    const parts = {
      history: [...history, "• I need a decision before I go on.", ""],
      menu,
      notes,
      keys,
    };
    return fillScreen(codexQuestion, { ...parts, question: step.question }, size);
  }
  const rows = queued.map((text) => `  ↳ ${text}`);
  const parts = {
    ...{ history, draft },
    activity:
      phase === "working"
        ? `◦ Working (${Math.floor(seconds)}s • esc to interrupt)`
        : "  Worked for 12s",
    queued: rows.length === 0 ? [] : ["", "• Queued follow-up inputs", ...rows],
    context: contextPercent === null ? "" : ` · ${contextPercent}% context used`,
  };
  return fillScreen(turn, parts, size);
}

/**
 * Fills a recorded screen with parts. A row that is one part becomes all rows of that part; a single
 * sign in braces becomes a line of it. Without room, rows up to the end of `history` are cut from above.
 */
function fillScreen(screen: string, parts: Parts, { columns, rows }: Size): string[] {
  const recorded = screen.replace(/\n$/, "").split("\n");
  const draw = (row: string) => {
    const [, indent = "", name = ""] = /^( *)\{([^{}]+)\}$/.exec(row) ?? [];
    const part = parts[name];
    if (Array.isArray(part)) return part.map((text) => indent + text);
    if (!/^\W$/u.test(name)) return [String(fill(row, parts))];
    return [indent + name.repeat(Math.max(0, columns - 2 * indent.length))];
  };
  // Real agents indent the further lines of a text below its mark.
  const rowsOf = (some: readonly string[]) =>
    some.flatMap(draw).flatMap((text) => text.replaceAll("\n", "\n  ").split("\n"));
  const end = recorded.indexOf("{history}") + 1;
  const [above, below] = [rowsOf(recorded.slice(0, end)), rowsOf(recorded.slice(end))];
  // Not `slice(-room)`: without room `slice(-0)` would be all rows.
  const from = Math.max(0, above.length - Math.max(0, rows - below.length));
  const all = [...above.slice(from), ...below];
  return all.map((row) => [...row].slice(0, columns).join(""));
}
