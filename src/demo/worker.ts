import { edit, wroteOf } from "./agent.ts";
import { drawTurn, type Size } from "./draw.ts";
import { fill, numbered, type Task, WORK } from "./scripts.ts";
import { type SessionEntry, planOf } from "./sessions/story.ts";

/** A sample agent that works now and then, rests long, and never asks. Times are seconds. */
export interface WorkerState extends Beginning {
  isWorking: boolean;
  since: number;
  now: number;
  task: Task;
  said: readonly string[];
  typed: string;
  /** What was sent to it while it worked: its next tasks. */
  queued: readonly string[];
}

export interface Beginning {
  rhythm: Rhythm;
  /** How many tasks of its own come before the one it does. */
  place: number;
  /** Of its context, in percent. */
  filled: number;
}

interface Rhythm {
  stepSeconds: number;
  restSeconds: number;
}

/** Rests long enough to be found idle and written to. */
export const RESTING: Beginning = {
  ...{ rhythm: { stepSeconds: 5, restSeconds: 180 }, place: 0, filled: 12 },
};
/** Works long enough for messages to wait, and has little room left. */
export const BUSY: Beginning = {
  ...{ rhythm: { stepSeconds: 60, restSeconds: 60 }, place: 5, filled: 80 },
};

const STEP_FILLS = 4;
const MOST_FILLED = 98;
/** What empties the context of the real one. */
const COMPACT = "/compact";
const COMPACTED = 6;

/** Its own tasks, one after another and none twice. */
function taskAt(place: number): Task {
  const { subjects, tasks } = WORK;
  const subject = numbered(subjects, Math.floor(place / tasks.length));
  // Our own data: as the template is, so is the task.
  return fill(tasks[place % tasks.length], { subject }) as Task;
}

function taskOf(message: string): Task {
  const says = "I am a sample, so that nothing is changed.";
  return {
    prompt: message,
    steps: [
      { title: "Read the message", says: wroteOf(message) },
      { title: "Answer it", says },
    ],
  };
}

export function startWorker(now: number, beginning = RESTING): WorkerState {
  return {
    ...beginning,
    ...{
      isWorking: true,
      since: now,
      now,
      task: taskAt(beginning.place),
      said: [],
      typed: "",
      queued: [],
    },
  };
}

function begin(state: WorkerState, place: number, task: Task): WorkerState {
  return { ...state, isWorking: true, since: state.now, place, task, said: [] };
}

export function tickWorker(before: WorkerState, now: number): WorkerState {
  const state = { ...before, now };
  const lasted = now - state.since;
  const { place, task, said, rhythm } = state;
  if (!state.isWorking)
    return lasted >= rhythm.restSeconds && state.typed === ""
      ? begin(state, place + 1, taskAt(place + 1))
      : state;
  if (lasted < rhythm.stepSeconds * (said.length + 1)) return state;
  const step = task.steps[said.length];
  if (!step) {
    const [next, ...queued] = state.queued;
    if (next === undefined) return { ...state, isWorking: false, since: now };
    return begin({ ...state, queued }, place, taskOf(next));
  }
  const filled =
    task.prompt === COMPACT ? COMPACTED : Math.min(MOST_FILLED, state.filled + STEP_FILLS);
  return { ...state, said: [...said, step.says], filled };
}

/** One key, named as for the other sample agents. */
export function pressWorker(state: WorkerState, key: string): WorkerState {
  const { isWorking, now, place, queued, typed } = state;
  if (isWorking && key === "Escape") {
    // What was queued is the person's again.
    const draft = [...queued, typed].filter((text) => text !== "").join("\n");
    return { ...state, isWorking: false, since: now, queued: [], typed: draft };
  }
  if (key !== "Enter" || typed === "") return { ...state, typed: edit(typed, key) };
  return isWorking
    ? { ...state, queued: [...queued, typed], typed: "" }
    : begin({ ...state, typed: "" }, place, taskOf(typed));
}

/** What its log says when it has come from one state to the next; null: its start. */
export function workerEntries(before: WorkerState | null, after: WorkerState): SessionEntry[] {
  const titles = after.task.steps.map(({ title }) => title);
  const plan = planOf(titles, after.said.length);
  const begins = [{ kind: "prompt", text: after.task.prompt } as const, plan];
  if (before === null || (!before.isWorking && after.isWorking)) return begins;
  if (before.task !== after.task) return [{ kind: "rests" }, ...begins];
  if (before.isWorking && !after.isWorking) return [{ kind: "rests" }];
  const news = after.said.slice(before.said.length);
  if (news.length === 0) return [];
  const fills = { kind: "fills", percent: after.filled } as const;
  return [...news.map((text) => ({ kind: "says" as const, text })), fills, plan];
}

export function drawWorker(state: WorkerState, size: Size): string[] {
  const seconds = state.isWorking ? state.now - state.since : null;
  const { task, said, typed, queued, filled } = state;
  return drawTurn({ prompt: task.prompt, said, seconds, typed, queued, filled }, size);
}
