import { common, count } from "./common.ts";

const waiting = (wait: string) => (wait === common.now ? "just asked" : `waiting ${wait}`);
const ago = (wait: string) => (wait === common.now ? "just now" : `${wait} ago`);

export const review = {
  moreQuestions: (n: number) => `${count(n, "more question", "more questions")} after this`,
  /** Said before the text of a change; shown where the shape alone would not tell. */
  changes: {
    blocked: "Blocked",
    goal: "New goal",
    decided: "Decided",
    unblocked: "Unblocked",
    finished: "Finished.",
    done: "Done:",
    now: "Now",
    next: "Next",
  },
  more: (n: number) => `${n} more`,
  since: (time: string) => `since ${time}`,
  truncated: (days: number, time: string) =>
    `Your last look is older than what is kept (${count(days, "day", "days")}). This counts from ${time}.`,
  openPane: "Open pane",
  marking: "Marking",
  reviewedUpTo: (time: string) => `reviewed up to ${time}`,
  notMarked: "Not marked",
  notMarkedText: "The server did not answer.",
  newer: (n: number) => count(n, "newer change", "newer changes"),
  sent: "Sent",
  notUpdated: (time: string) => `Not updated since ${time}`,
  emptyTitle: "All caught up",
};

/** Review where a list and a card stand beside each other. */
export const desk = {
  rows: {
    uncertain: "An answer may not have arrived",
    failed: "Stopped with an error",
    over: "Nothing is left here",
    finished: "Finished",
    reviewed: "Reviewed",
    newGoal: "New goal",
    blocked: (n: number) => `${n} blocked`,
    unblocked: (n: number) => `${n} unblocked`,
    decided: (n: number) => `${n} decided`,
    done: (n: number) => `${n} done`,
    other: "Changed",
  },
  answer: "Answer",
  changedSince: (time: string) => `Changed since ${time}`,
  reviewedMeans: (time: string) => `Reviewed means the state of ${time} that is shown here.`,
  keys: {
    move: "next, previous",
    pick: "pick",
    send: "send the pick",
    reviewed: "reviewed",
    later: "later",
    sendPicks: "send the picks",
    all: "all keys",
  },
  open: "Open",
  remove: (name: string) => `Leave ${name} open`,
};

export const pass = {
  at: (n: number, of: number) => `${n} of ${of}`,
  progress: "Progress",
  leave: "Leave",
  previous: "Previous",
  reviewed: "Reviewed",
  why: {
    urgent_decision: (wait: string) => `Urgent decision, ${waiting(wait)}`,
    pending_decision: (wait: string) => `Decision, ${waiting(wait)}`,
    error: (wait: string) => `Error, ${ago(wait)}`,
    new_blocker: (wait: string) => `New blocker, ${ago(wait)}`,
    changed: (wait: string) => `Changed, ${ago(wait)}`,
  },
  over: "Nothing is left of it to look at",
  said: "Said last",
  through: "You are through",
  took: (wait: string) => `In ${wait}.`,
  left: "Left for later",
  queue: "Queue",
};

export const through = {
  at: (section: string, n: number, of: number) => `${section}, ${n} of ${of}`,
  previous: "Previous",
  later: "Later",
  next: "Next",
  left: (n: number) => `${n} left for later`,
  done: "Done",
};
