import { count } from "./common.ts";

/** What is new of the work of an agent, and what is reviewed of it. */
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
    said: "Said",
    works_for: "Goal",
  },
  truncated: (days: number, time: string) =>
    `Your last look is older than what is kept (${count(days, "day", "days")}). This counts from ${time}.`,
};
