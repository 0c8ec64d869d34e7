import { menuOf, requestAt, type SampleRequest, type Script } from "./scripts.ts";

/** A sample agent at one moment. Times are seconds on one clock. */
export interface AgentState {
  phase: "working" | "asking" | "idle";
  since: number;
  now: number;
  request: number;
  /** Row of the menu that has the cursor, from 0. */
  focus: number;
  typed: string;
  /** The field for notes is open (Codex only): keys go into it. */
  isNoting: boolean;
  /** The note on the way to the next request was told. */
  isHalfway: boolean;
  /** The answer to the request before. */
  answer: SampleAnswer | null;
  told: string[];
}

export interface SampleAnswer {
  label: string;
  /** What was written beside the label. */
  note: string;
  /** In words of the person's own, not by one of the choices. */
  isWritten: boolean;
}

const IDLE_SECONDS = 20;
const MAX_TOLD = 6;

export function startAgent(now: number): AgentState {
  return {
    ...{ phase: "asking", since: now, now, request: 0, focus: 0, typed: "" },
    ...{ isNoting: false, isHalfway: false, answer: null, told: [] },
  };
}

/** Lets time pass: work ends with the next request, a rest ends as well. */
export function tick(state: AgentState, now: number, script: Script): AgentState {
  const lasted = now - state.since;
  const { phase, isHalfway } = state;
  if (phase === "working" && lasted >= script.workSeconds)
    return { ...state, phase: "asking", since: now, now, focus: 0, typed: "" };
  if (phase === "working" && !isHalfway && lasted >= script.workSeconds / 2)
    return { ...tell(state, requestAt(script, state.request).note), now, isHalfway: true };
  // One that was told nothing yet waits for it.
  if (phase === "idle" && state.told.length > 0 && state.typed === "" && lasted >= IDLE_SECONDS)
    return resume({ ...state, now });
  return { ...state, now };
}

/**
 * One key, as `Up`, `Down`, `Tab`, `Enter`, `Escape`, `Backspace`, `Clear` or the character; a line
 * break that was pasted is `\n`.
 */
export function press(state: AgentState, key: string, script: Script): AgentState {
  if (state.phase === "asking")
    return state.isNoting ? pressNotes(state, key, script) : pressMenu(state, key, script);
  if (state.phase === "working") return key === "Escape" ? rest(state, "Interrupted.") : state;
  if (key === "Enter" && state.typed !== "") return resume(tell(state, wroteOf(state.typed)));
  return { ...state, typed: edit(state.typed, key) };
}

export function wroteOf(text: string): string {
  return `You wrote: ${text}`;
}

function pressMenu(state: AgentState, key: string, script: Script): AgentState {
  const request = requestAt(script, state.request);
  const rows = menuOf(request, script.runtime);
  const move = (by: number) => ({
    ...state,
    focus: (state.focus + by + rows.length) % rows.length,
  });
  if (key === "Up") return move(-1);
  if (key === "Down") return move(1);
  if (key === "Escape") return rest(state, "Declined. What should happen instead?");
  if (key === "Tab") return script.runtime === "agent_b" ? { ...state, isNoting: true } : state;
  if (rows[state.focus]?.does === "write") {
    if (key === "Enter")
      return state.typed === ""
        ? state
        : give(state, request, { label: state.typed, note: "", isWritten: true });
    if (!/^\d$/.test(key) || state.typed !== "") return { ...state, typed: edit(state.typed, key) };
  }
  const taken = key === "Enter" ? state.focus : Number(key) - 1;
  const row = rows[taken];
  if (!row) return state;
  // As in the real dialog, the number of the free text only moves the cursor there.
  if (row.does === "write") return { ...state, focus: taken };
  if (row.does === "refuse") return rest(state, "What should happen instead?");
  return give(state, request, { label: row.label, note: "", isWritten: false });
}

function pressNotes(state: AgentState, key: string, script: Script): AgentState {
  if (key === "Tab" || key === "Escape") return { ...state, isNoting: false, typed: "" };
  if (key !== "Enter") return { ...state, typed: edit(state.typed, key) };
  const request = requestAt(script, state.request);
  const row = menuOf(request, script.runtime)[state.focus];
  if (!row) return state;
  return give(state, request, { label: row.label, note: state.typed, isWritten: false });
}

function give(state: AgentState, request: SampleRequest, given: SampleAnswer): AgentState {
  const { label, note } = given;
  const words = note === "" ? label : `${label} (${note})`;
  return resume(tell(state, `${nameOf(request)}: ${words}`), given);
}

function nameOf(request: SampleRequest): string {
  if (request.ask === "permission") return `$ ${request.command}`;
  return request.ask === "question" ? request.topic : request.title;
}

function resume(state: AgentState, answer: SampleAnswer | null = null): AgentState {
  return {
    ...state,
    ...{ phase: "working", since: state.now, request: state.request + 1, focus: 0, typed: "" },
    ...{ isNoting: false, isHalfway: false, answer },
  };
}

function rest(state: AgentState, words: string): AgentState {
  const cleared = { typed: "", focus: 0, isNoting: false, answer: null };
  return { ...tell(state, words), phase: "idle", since: state.now, ...cleared };
}

function tell(state: AgentState, words: string): AgentState {
  return { ...state, told: [...state.told, words].slice(-MAX_TOLD) };
}

/** A text after one more key. */
export function edit(text: string, key: string): string {
  if (key === "Backspace") return [...text].slice(0, -1).join("");
  if (key === "Clear") return "";
  const isText = key === "\n" || ([...key].length === 1 && !/\p{Cc}/u.test(key));
  return isText ? text + key : text;
}
