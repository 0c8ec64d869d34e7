import { edit, wroteOf } from "./agent.ts";
import { drawComposer, type Size } from "./draw.ts";
import type { SessionEntry } from "./sessions/story.ts";

/** A sample agent that has reached a limit of use, works a little once that is over, and so on. */
export interface LimitedState {
  isWorking: boolean;
  since: number;
  now: number;
  /** Epoch seconds, of the wall clock that its notice is told by. */
  wall: number;
  resetsAt: number;
  prompt: string;
  typed: string;
}

const TASK = "Translate the product pages";
const WORK_SECONDS = 30;
/** From the next full minute on: soon enough to see what happens then. */
const LIMIT_SECONDS = 120;

export function startLimited(now: number, wall: number): LimitedState {
  return limited({
    ...{ isWorking: false, since: now, now, wall, resetsAt: 0 },
    ...{ prompt: TASK, typed: "" },
  });
}

export function tickLimited(before: LimitedState, now: number, wall: number): LimitedState {
  const state = { ...before, now, wall };
  return state.isWorking && now - state.since >= WORK_SECONDS ? limited(state) : state;
}

/** One key, named as for the other sample agents. Before its time is over it only says so again. */
export function pressLimited(state: LimitedState, key: string): LimitedState {
  if (state.isWorking) return key === "Escape" ? limited(state) : state;
  if (key !== "Enter" || state.typed === "") return { ...state, typed: edit(state.typed, key) };
  const isWorking = state.wall >= state.resetsAt;
  return { ...state, isWorking, since: state.now, prompt: state.typed, typed: "" };
}

function limited(state: LimitedState): LimitedState {
  const resetsAt = Math.ceil(state.wall / 60) * 60 + LIMIT_SECONDS;
  return { ...state, isWorking: false, since: state.now, resetsAt };
}

export function limitedEntries(before: LimitedState | null, after: LimitedState): SessionEntry[] {
  const asked = before === null || before.prompt !== after.prompt || after.isWorking;
  if (before !== null && before.isWorking === after.isWorking && before.prompt === after.prompt)
    return [];
  return [
    ...(asked ? [{ kind: "prompt", text: after.prompt } as const] : []),
    ...(after.isWorking
      ? [{ kind: "says", text: wroteOf(after.prompt) } as const]
      : [{ kind: "limited", notice: noticeOf(after), resetsAt: after.resetsAt } as const]),
  ];
}

export function drawLimited(state: LimitedState, size: Size): string[] {
  const { isWorking, now, since, prompt, typed } = state;
  const notice = isWorking ? [] : [`  ⎿  ${noticeOf(state)}`];
  const seconds = isWorking ? now - since : null;
  const told = [`❯ ${prompt}`, ...notice, ""];
  return drawComposer({ told, doing: "Translating", seconds, typed }, size);
}

function noticeOf({ resetsAt }: LimitedState): string {
  const [hour = 0, minute = 0] = new Date(resetsAt * 1000).toISOString().slice(11, 16).split(":");
  const half = Number(hour) < 12 ? "am" : "pm";
  return `You've hit your 5-hour limit · resets ${Number(hour) % 12 || 12}:${minute}${half} (UTC)`;
}
