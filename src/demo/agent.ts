import type { Request } from "./requests.ts";

export interface Size {
  columns: number;
  rows: number;
}

/** A sample agent at one moment. Times are seconds on one clock. */
export interface AgentState {
  phase: "working" | "asking" | "idle";
  since: number;
  now: number;
  request: number;
  /** Row of the menu that has the cursor, from 0. */
  focus: number;
  typed: string;
  told: string[];
}

const WORK_SECONDS = 6;
const IDLE_SECONDS = 20;
const MAX_TOLD = 6;
const SPINNER = ["·", "✢", "✳", "✶", "✻", "✽"];
const WRITE = "Type something.";
const CHAT = "Chat about this";

export function startAgent(now: number): AgentState {
  return { phase: "asking", since: now, now, request: 0, focus: 0, typed: "", told: [] };
}

/** Lets time pass: work ends with the next request, a rest ends as well. */
export function tick(state: AgentState, now: number, count: number): AgentState {
  const lasted = now - state.since;
  if (state.phase === "working" && lasted >= WORK_SECONDS)
    return { ...state, phase: "asking", since: now, now, focus: 0, typed: "" };
  if (state.phase === "idle" && state.typed === "" && lasted >= IDLE_SECONDS)
    return resume({ ...state, now }, count);
  return { ...state, now };
}

/** One key, as `Up`, `Down`, `Enter`, `Escape`, `Backspace` or the character itself. */
export function press(state: AgentState, key: string, requests: readonly Request[]): AgentState {
  if (state.phase === "asking") return pressMenu(state, key, requests);
  if (state.phase === "working") return key === "Escape" ? rest(state, "Interrupted.") : state;
  if (key === "Enter" && state.typed !== "")
    return resume(tell(state, `You wrote: ${state.typed}`), requests.length);
  return { ...state, typed: edit(state.typed, key) };
}

function pressMenu(state: AgentState, key: string, requests: readonly Request[]): AgentState {
  const request = requests[state.request];
  if (!request) return state;
  const labels = labelsOf(request);
  const isWriting = request.ask === "question" && labels[state.focus] === WRITE;
  const move = (by: number) => ({
    ...state,
    focus: (state.focus + by + labels.length) % labels.length,
  });
  if (key === "Up") return move(-1);
  if (key === "Down") return move(1);
  if (key === "Escape") return rest(state, "Declined. What should happen instead?");
  if (isWriting && key === "Enter" && state.typed !== "")
    return resume(tell(state, `${request.topic}: ${state.typed}`), requests.length);
  if (isWriting && (key === "Backspace" || !/^\d$/.test(key) || state.typed !== ""))
    return key === "Enter" ? state : { ...state, typed: edit(state.typed, key) };
  const chosen = key === "Enter" ? state.focus : Number(key) - 1;
  const label = labels[chosen];
  if (label === undefined) return state;
  // As in the real dialog, the number of the free text only moves the cursor there.
  if (label === WRITE) return { ...state, focus: chosen };
  return choose(state, request, label, requests.length);
}

function choose(state: AgentState, request: Request, label: string, count: number): AgentState {
  if (label === "No" || label === CHAT) return rest(state, "What should happen instead?");
  const what = request.ask === "permission" ? `$ ${request.command}` : request.topic;
  return resume(tell(state, `${what}: ${label}`), count);
}

function resume(state: AgentState, count: number): AgentState {
  const request = (state.request + 1) % count;
  return { ...state, phase: "working", since: state.now, request, focus: 0, typed: "" };
}

function rest(state: AgentState, words: string): AgentState {
  return { ...tell(state, words), phase: "idle", since: state.now, typed: "", focus: 0 };
}

function tell(state: AgentState, words: string): AgentState {
  return { ...state, told: [...state.told, words].slice(-MAX_TOLD) };
}

function edit(text: string, key: string): string {
  if (key === "Backspace") return [...text].slice(0, -1).join("");
  return [...key].length === 1 ? text + key : text;
}

function labelsOf(request: Request): string[] {
  if (request.ask === "permission")
    return ["Yes", `Yes, and don’t ask again for: ${request.rule}`, "No"];
  return [...request.choices.map(({ label }) => label), WRITE, CHAT];
}

/** The whole screen, row by row, drawn as Claude Code draws these states. */
export function draw(state: AgentState, requests: readonly Request[], size: Size): string[] {
  const request = requests[state.request];
  if (!request) return [];
  const head = [
    " Sample agent of `panewatch demo`: it draws the dialogs of Claude Code and runs nothing.",
    "",
    `❯ ${request.task}`,
    "",
    ...state.told.flatMap((words) => [`● ${words}`, ""]),
  ];
  const body =
    state.phase === "asking" ? dialog(state, request, size) : composer(state, request, size);
  const room = Math.max(0, size.rows - body.length);
  return [...head.slice(-room), ...body].map((row) => cut(row, size.columns));
}

function dialog(state: AgentState, request: Request, size: Size): string[] {
  const rule = "─".repeat(size.columns);
  const row = (label: string, index: number) =>
    `${index === state.focus ? "❯" : " "} ${index + 1}. ${label}`;
  if (request.ask === "permission")
    return [
      ...[`● ${request.doing}`, `  ⎿  $ ${request.command}`, "", rule, " Bash command", ""],
      ...[`   ${request.command}`, `   ${request.about}`, "", " Do you want to proceed?"],
      ...labelsOf(request).map((label, index) => ` ${row(label, index)}`),
      ...["", " Esc to cancel · Tab to amend"],
    ];
  const rows = labelsOf(request).map((label, index) =>
    row(label === WRITE && state.typed !== "" ? state.typed : label, index),
  );
  const described = request.choices.flatMap(({ description }, index) => [
    rows[index] ?? "",
    `     ${description}`,
  ]);
  return [
    ...["● I need a decision before I go on.", "", rule, ` ☐ ${request.topic}`, ""],
    ...[request.question, "", ...described, ...rows.slice(request.choices.length, -1), rule],
    ...[rows.at(-1) ?? "", "", "Enter to select · ↑/↓ to navigate · Esc to cancel"],
  ];
}

function composer(state: AgentState, request: Request, size: Size): string[] {
  const rule = "─".repeat(size.columns);
  const seconds = Math.floor(state.now - state.since);
  const glyph = SPINNER[Math.floor(state.now * 4) % SPINNER.length];
  const isWorking = state.phase === "working";
  const activity = isWorking
    ? [`${glyph} ${request.doing}… (${seconds}s · esc to interrupt)`, ""]
    : [];
  const hint = isWorking ? "esc to interrupt" : "? for shortcuts";
  return [
    ...activity,
    rule,
    `❯ ${state.typed}`,
    rule,
    `  ⏸ manual mode on · ${hint} · ← for agents`,
  ];
}

function cut(row: string, columns: number): string {
  return [...row].slice(0, columns).join("");
}
