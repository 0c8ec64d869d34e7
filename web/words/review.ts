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
  since: (time: string) => `since ${time}`,
  openPane: "Open pane",
  marking: "Marking",
  notMarked: "Not marked",
  notMarkedText: "The server did not answer.",
  sent: "Sent",
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
  previous: "Previous",
  later: "Later",
  next: "Next",
  done: "Done",
};
