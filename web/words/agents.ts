import type { Provenance } from "../../src/protocol/agents.ts";
import { count } from "./common.ts";
import { lazy } from "./lazy.ts";

export const agents = {
  chat: "Chat",
  details: "Details",
  agent: "Agent",
  back: "Back",
  menu: "More",
  lifecycle: {
    observing: "Unknown",
    working: "Working",
    idle: "Idle",
    waiting: "Waiting",
    completed: "Finished",
    error: "Error",
    offline: "Offline",
    unknown: "Unknown",
  },
  off: "The agent workspace is off",
  offText: "It is switched on in the settings.",
  notLoaded: "This agent could not be loaded",
  notLoadedText: "The rest of panewatch goes on.",
  gone: "No such agent",
  goneText: "Its history is older than what is kept, or was deleted.",
  notUpdated: (time: string) => `Not updated since ${time}`,
  readOnly: "What you see may be old. Nothing can be answered here now.",
  degraded: "Only parts of its log could be read",
  degradedText:
    "Some lines were too long or not understood. What you see may be incomplete; the terminal shows all of it.",

  question: "Question",
  alsoOpen: (title: string) => `Also open: ${title}`,
  yourAnswer: "Your answer",
  since: "Since your last review",
  ago: (time: string, wait: string) => `${time}, ${wait} ago`,
  neverReviewed: "Not reviewed yet",
  goal: "Goal",
  now: "Now",
  lastTask: "Last task",
  progress: "Progress",
  of: (done: number, total: number) => `${done} of ${total}`,
  blocked: "Blocked by",
  next: "Next",
  said: "Said last",
  done: "Done",
  unknown: "Not known yet",
  nothing: "Nothing",
  more: (n: number) => `${n} more`,
  fewer: "Fewer",
  sources: {
    visible_user_message: "your message",
    visible_assistant_message: "its message",
    runtime_plan: "its plan",
    runtime_task: "its task",
    runtime_title: "its title",
  } satisfies Record<Provenance, string>,
  footnote: "Read from its log. It shows what was said and planned, not what was thought.",
  open: "Open",

  search: (n: number, hasMore: boolean) =>
    hasMore ? `Search ${n} and more agents` : `Search ${count(n, "agent", "agents")}`,
  clearSearch: "Clear search",
  clear: "Clear",
  noMatch: "No match",
  groups: {
    waiting: "Waiting",
    error: "Error",
    parked: "Parked",
    working: "Working",
    idle: "Idle",
    over: "Offline",
  },
  blockers: (n: number) => count(n, "blocker", "blockers"),
  emptyTitle: "No agents read yet",
  emptyText: "They appear once Claude Code or Codex writes to its log.",
  mayBeOld: "This may be old",
  listNotLoaded: "The list could not be loaded",
  older: "Older",

  today: "Today",
  yesterday: "Yesterday",
};

const date = lazy(
  () => new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" }),
);

/** Epoch seconds as a day; `ago` is in whole days. */
export function dayText(at: number, ago: number): string {
  if (ago === 0) return agents.today;
  return ago === 1 ? agents.yesterday : date().format(new Date(at * 1000));
}
