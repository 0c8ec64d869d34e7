import type { Size } from "./agent.ts";
import { type Entry, planOf } from "./sessions/entry.ts";

/** A sample agent that works and rests, and never asks. Times are seconds on one clock. */
export interface WorkerState {
  isWorking: boolean;
  since: number;
  now: number;
  prompt: string;
  task: number;
  said: readonly string[];
  typed: string;
}

interface Task {
  prompt: string;
  steps: readonly { title: string; says: string }[];
}

const STEP_SECONDS = 5;
const REST_SECONDS = 20;

export const TASKS: readonly Task[] = [
  {
    prompt: "Add pages to the list of orders",
    steps: [
      { title: "Read the list", says: "The list reads every order at once, newest first." },
      { title: "Add a cursor", says: "A cursor now holds the last order of a page." },
      { title: "Test the edges", says: "The tests cover an empty list and an exact last page." },
    ],
  },
  {
    prompt: "Find out why the import is slow",
    steps: [
      { title: "Measure it", says: "Nine tenths of the time go into one commit for each row." },
      { title: "Batch the rows", says: "Rows are now stored 500 at a time: 40 s became 2 s." },
    ],
  },
];

export function startWorker(now: number): WorkerState {
  return begin({ isWorking: true, since: now, now, prompt: "", task: 0, said: [], typed: "" }, 0);
}

function begin(state: WorkerState, task: number, prompt?: string): WorkerState {
  const { now } = state;
  const text = prompt ?? TASKS[task]?.prompt ?? "";
  return { isWorking: true, since: now, now, prompt: text, task, said: [], typed: "" };
}

/** Lets time pass: each step ends with a sentence, the last one with a rest. */
export function tickWorker(before: WorkerState, now: number): WorkerState {
  const state = { ...before, now };
  const lasted = now - state.since;
  if (!state.isWorking)
    return lasted >= REST_SECONDS && state.typed === ""
      ? begin(state, (state.task + 1) % TASKS.length)
      : state;
  const steps = TASKS[state.task]?.steps ?? [];
  const step = steps[state.said.length];
  if (lasted < STEP_SECONDS * (state.said.length + 1)) return state;
  if (!step) return { ...state, isWorking: false, since: now };
  return { ...state, said: [...state.said, step.says] };
}

/** One key, named as for the other sample agents. */
export function pressWorker(state: WorkerState, key: string): WorkerState {
  if (state.isWorking)
    return key === "Escape" ? { ...state, isWorking: false, since: state.now } : state;
  if (key === "Backspace") return { ...state, typed: [...state.typed].slice(0, -1).join("") };
  if (key === "Enter" && state.typed !== "") return begin(state, state.task, state.typed);
  return [...key].length === 1 ? { ...state, typed: state.typed + key } : state;
}

/** What its log says when it has come from one state to the next; null: its start. */
export function workerEntries(before: WorkerState | null, after: WorkerState): Entry[] {
  const titles = (TASKS[after.task]?.steps ?? []).map(({ title }) => title);
  const plan = planOf(titles, after.said.length);
  if (before === null || (!before.isWorking && after.isWorking))
    return [{ kind: "prompt", text: after.prompt }, plan];
  if (before.isWorking && !after.isWorking) return [{ kind: "rests" }];
  const news = after.said.slice(before.said.length);
  return news.length === 0 ? [] : [...news.map((text) => ({ kind: "says" as const, text })), plan];
}

/** The whole screen, row by row, drawn as Codex draws these states. */
export function drawWorker(state: WorkerState, size: Size): string[] {
  const seconds = Math.floor(state.now - state.since);
  const activity = state.isWorking
    ? [`◦ Working (${seconds}s • esc to interrupt)`]
    : ["  Worked for a moment"];
  const head = [
    ...[
      "",
      "  >_ OpenAI Codex (v0.169.0)",
      "     sample agent of `panewatch demo`: it runs nothing",
    ],
    ...["", "", `› ${state.prompt}`, "", ""],
    ...state.said.flatMap((text) => [`• ${text}`, ""]),
  ];
  const foot = ["", `› ${state.typed}`, "", "  Sample · demo", "  ← for agents · ? for shortcuts"];
  const body = [...activity, "", ...foot];
  const room = Math.max(0, size.rows - body.length);
  return [...head.slice(-room), ...body].map((row) => [...row].slice(0, size.columns).join(""));
}
