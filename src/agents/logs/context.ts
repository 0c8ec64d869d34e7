import { cutText } from "../../lib/words.ts";
import type {
  AgentContext,
  AgentLifecycle,
  AgentProgress,
  Blocker,
  CompletedItem,
  Provenance,
} from "../../protocol/agents.ts";
import type { LogEvent, PlanLine, TurnEvent, UsageEvent } from "./events.ts";
import { uuidOf } from "../session.ts";
import { firstLine, wordsOf } from "./text.ts";

/** The newest of each list are kept. */
const MAX_ITEMS = 100;
const MAX_TITLE = 200;
const MAX_SUMMARY = 500;
/** Calls whose result never comes must not add up. */
const MAX_OPEN_CALLS = 200;

interface TimedText {
  text: string;
  at: number;
}

type PlanItem = PlanLine & { id: string };

/** What the fold carries from record to record; stored as JSON with the position. */
export interface SessionState {
  title: { text: string; chosen: boolean } | null;
  goal: TimedText | null;
  lastUser: TimedText | null;
  lastAssistant: TimedText | null;
  plan: PlanItem[];
  planSource: "runtime_plan" | "runtime_task" | null;
  completed: CompletedItem[];
  blockers: Blocker[];
  turn: { state: AgentLifecycle; at: number };
  /** Open calls; true for those that wait for a person. */
  open: Record<string, boolean>;
  /** The log has proper message records: fallback ones no longer count. */
  hasMessages: boolean;
  /** The log has records of turns: none are guessed from messages. */
  hasTurns: boolean;
  forks: SessionForks;
  /** A record was too long, in this turn or before it; a turn read in full clears it. */
  loss: "in_turn" | "before_turn" | null;
  /** Absent in what earlier releases have stored. */
  limit?: { reason: string; until: number | null; at: number } | null;
  contextPercent?: number | null;
  lastAt: number;
}

interface SessionForks {
  /**
   * The last prompt follows the same record as an earlier one. If the log marks it as a rewind, the
   * messages of `seq` from `from` to `to` are dropped.
   */
  candidate: { at: number; from: number; to: number } | null;
  /** Messages from this ordinal on, said before `at`, are dropped once the next prompt comes. */
  ordinals: { from: number; at: number; isDue: boolean } | null;
}

export const NOTHING_KNOWN: SessionState = {
  title: null,
  goal: null,
  lastUser: null,
  lastAssistant: null,
  plan: [],
  planSource: null,
  completed: [],
  blockers: [],
  turn: { state: "observing", at: 0 },
  open: {},
  hasMessages: false,
  hasTurns: false,
  forks: { candidate: null, ordinals: null },
  loss: null,
  limit: null,
  contextPercent: null,
  lastAt: 0,
};

/**
 * Records are not always written in the order of their times (seen in Claude Code 2.1.150): an
 * event older than the state adds to it, and replaces nothing newer.
 */
export function foldEvent(state: SessionState, event: LogEvent): SessionState {
  const at = event.at ?? state.lastAt;
  const next = at > state.lastAt ? { ...state, lastAt: at } : state;
  switch (event.kind) {
    case "title": {
      const text = firstLine(event.text, MAX_TITLE);
      if (text === "" || (next.title?.chosen && !event.chosen)) return next;
      return { ...next, title: { text, chosen: event.chosen } };
    }
    case "message":
      return event.role === "user"
        ? foldPrompt(next, event.text, at)
        : foldReply(next, event.text, at);
    case "turn":
      if (event.isGuess && next.hasTurns) return next;
      return changeTurn(
        { ...endLimit(next, event.state, at), hasTurns: next.hasTurns || !event.isGuess },
        event.state === "ended" ? "completed" : event.state,
        at,
      );
    case "tool":
      return event.open ? openCall(next, event.id, false, at) : closeCall(next, event.id, at);
    case "question":
    case "plan_request":
      return openCall(next, event.id, true, at);
    case "answer":
      return closeCall(next, event.id, at);
    case "plan":
      return replacePlan(next, event.lines, at);
    case "task":
      return changeTask(next, event, at);
    case "limit":
      return { ...next, limit: { reason: event.reason, until: event.until, at } };
    case "usage":
      return { ...next, contextPercent: percentOf(event) };
    case "loss":
      return { ...next, loss: "in_turn" };
    case "session":
    case "rewind":
    case "call":
      return next;
  }
}

/** A new turn begins: the limit that ended the last one is over, or will be logged again. */
function endLimit(state: SessionState, to: TurnEvent["state"], at: number): SessionState {
  const { limit } = state;
  return limit && to === "working" && at > limit.at ? { ...state, limit: null } : state;
}

function percentOf({ tokens, window }: UsageEvent): number | null {
  return window > 0 ? Math.min(100, Math.round((100 * tokens) / window)) : null;
}

function foldPrompt(state: SessionState, text: string, at: number): SessionState {
  const line = { text: firstLine(text, MAX_TITLE), at };
  const goal = state.goal === null || at < state.goal.at ? line : state.goal;
  const lastUser = state.lastUser === null || at >= state.lastUser.at ? line : state.lastUser;
  // A new prompt begins a turn: the lost record lies before it.
  const loss = state.loss === "in_turn" ? "before_turn" : state.loss;
  return { ...state, goal, lastUser, loss };
}

function foldReply(state: SessionState, text: string, at: number): SessionState {
  if (state.lastAssistant !== null && at < state.lastAssistant.at) return state;
  const paragraph = text.trim().split(/\n\s*\n/)[0] ?? "";
  return { ...state, lastAssistant: { text: cutText(paragraph, MAX_SUMMARY), at } };
}

function changeTurn(state: SessionState, to: AgentLifecycle, at: number): SessionState {
  if (at < state.turn.at) return state;
  const open = to === "working" ? state.open : {};
  const loss = to !== "working" && state.loss === "before_turn" ? null : state.loss;
  return { ...state, turn: { state: to, at }, open, loss };
}

function openCall(state: SessionState, id: string, waits: boolean, at: number): SessionState {
  const calls = Object.entries(state.open).slice(-MAX_OPEN_CALLS);
  return changeTurn(
    { ...state, open: { ...Object.fromEntries(calls), [id]: waits } },
    "working",
    at,
  );
}

function closeCall(state: SessionState, id: string, at: number): SessionState {
  if (!Object.hasOwn(state.open, id)) return state;
  const { [id]: _, ...open } = state.open;
  return changeTurn({ ...state, open }, "working", at);
}

function replacePlan(state: SessionState, lines: readonly PlanLine[], at: number): SessionState {
  const ids = new Set<string>();
  const plan = lines.map((line) => {
    let id = line.id ?? idOf(line.title);
    // Each of several steps with the same words or id is done by itself.
    while (ids.has(id)) id = uuidOf("plan item", id);
    ids.add(id);
    return { ...line, id, title: firstLine(line.title, MAX_TITLE) };
  });
  return syncWithPlan({ ...state, plan, planSource: "runtime_plan" }, at);
}

function changeTask(
  state: SessionState,
  task: Extract<LogEvent, { kind: "task" }>,
  at: number,
): SessionState {
  const known = state.plan.find(({ id }) => id === task.id);
  if (task.status === "deleted") {
    return syncWithPlan({ ...state, plan: state.plan.filter(({ id }) => id !== task.id) }, at);
  }
  if (known === undefined && task.title === null) return state;
  const item: PlanItem = {
    id: task.id,
    title: task.title === null ? (known?.title ?? "") : firstLine(task.title, MAX_TITLE),
    status: task.status ?? known?.status ?? "pending",
  };
  const plan = known
    ? state.plan.map((each) => (each.id === task.id ? item : each))
    : [...state.plan, item];
  return syncWithPlan({ ...state, plan, planSource: "runtime_task" }, at);
}

/** Derives completed items and blockers from the plan. */
function syncWithPlan(state: SessionState, at: number): SessionState {
  const openIds = new Set(state.plan.filter((i) => i.status !== "completed").map((i) => i.id));
  const completed = state.completed.filter(({ id }) => !openIds.has(id));
  const knownIds = new Set(completed.map(({ id }) => id));
  const added = state.plan
    .filter(({ id, status }) => status === "completed" && !knownIds.has(id))
    .map(({ id, title }) => ({ id, title, completed_at: at }));
  const blockers = state.plan
    .filter(({ status }) => status === "blocked")
    .map(({ id, title }): Blocker => {
      const before = state.blockers.find((blocker) => blocker.id === id);
      return before ?? { id, title, created_at: at, source: state.planSource ?? "runtime_plan" };
    });
  return {
    ...state,
    plan: state.plan.slice(-MAX_ITEMS),
    completed: [...completed, ...added].slice(-MAX_ITEMS),
    blockers: blockers.slice(-MAX_ITEMS),
  };
}

/** By its words: a plan that is written again must not add its items twice. */
function idOf(title: string): string {
  return uuidOf("plan item", wordsOf(title) || title);
}

export function logLifecycle(state: SessionState): AgentLifecycle {
  return Object.values(state.open).includes(true) ? "waiting" : state.turn.state;
}

/** `ok`, or `degraded:` and a code. */
export function healthOf({ loss }: SessionState): string {
  return loss === null ? "ok" : "degraded:oversized_line_discarded";
}

/** The parts of a context that do not come from the log; decisions are the public, open ones. */
type ContextFrame = Pick<
  AgentContext,
  "session_id" | "runtime" | "lifecycle" | "decisions" | "message_history_truncated"
>;

export function contextOf(
  state: SessionState,
  frame: ContextFrame,
): Omit<AgentContext, "revision" | "last_updated"> {
  const provenance: Record<string, Provenance> = {};
  const from = <T>(field: string, where: Provenance, value: T): T => {
    if (value !== null) provenance[field] = where;
    return value;
  };
  const planSource = state.planSource ?? "runtime_plan";
  const current = state.plan.find(({ status }) => status === "in_progress");
  const next = state.plan.find(({ status }) => status === "pending");
  const goal = state.goal
    ? from("goal", "visible_user_message", state.goal.text)
    : from("goal", "runtime_title", state.title?.text ?? null);
  if (state.completed.length > 0) provenance.completed_items = planSource;
  if (state.blockers.length > 0) provenance.blockers = planSource;
  return {
    ...frame,
    goal,
    current_task: current
      ? from("current_task", planSource, current.title)
      : from("current_task", "visible_user_message", state.lastUser?.text ?? null),
    progress_summary: from(
      "progress_summary",
      "visible_assistant_message",
      state.lastAssistant?.text ?? null,
    ),
    completed_items: state.completed,
    decisions: frame.decisions.slice(-MAX_ITEMS),
    blockers: state.blockers,
    next_action: from("next_action", planSource, next?.title ?? null),
    progress: from("progress", "runtime_plan", progressOf(state.plan)),
    estimated_completion: null,
    provenance,
    extraction_health: healthOf(state),
  };
}

function progressOf(plan: readonly PlanItem[]): AgentProgress | null {
  if (plan.length === 0) return null;
  const completed = plan.filter(({ status }) => status === "completed").length;
  const percent = Math.round((completed / plan.length) * 1000) / 10;
  return { completed, total: plan.length, percent, source: "runtime_plan" };
}
