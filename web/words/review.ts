import { count } from "./common.ts";

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
  notMarkedText: "The server did not answer.",
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
  keys: {
    move: "next, previous",
    pick: "pick",
    send: "send the pick",
    reviewed: "reviewed",
    later: "later",
    sendPicks: "send the picks",
    all: "all keys",
  },
};
