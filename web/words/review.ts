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
  fewer: "Fewer",
  since: (time: string) => `since ${time}`,
  firstLook: "first look",
  truncated: (days: number, time: string) =>
    `Your last look is older than what is kept (${count(days, "day", "days")}). This counts from ${time}.`,
  degraded: "Parts of its log could not be read, so something may be missing.",
  suggests: "The agent suggests this one.",
  terminalOnly: "Answer this one in the terminal.",
  openPane: "Open pane",
  marking: "Marking",
  reviewedUpTo: (time: string) => `reviewed up to ${time}`,
  notMarked: "Not marked",
  notMarkedText: "The server did not answer.",
  newer: (n: number) => count(n, "newer change", "newer changes"),
  show: "Show",
  sent: "Sent",
  onItsWay: "An answer is on its way.",
  ended: {
    here: () => "Seen in its log",
    elsewhere: (time: string) => `Answered at ${time}, not from this screen.`,
    unclear: (time: string) => `Answered at ${time}.`,
    nobody: () => "The agent went on without an answer",
  },
  changedTitle: "Not sent: the question changed",
  changedText: "The agent moved on while you were answering. Here is what it asks now.",
  movedTitle: "Not sent",
  staleText: "Answers and marks are off until it is read again.",
  notUpdated: (time: string) => `Not updated since ${time}`,
  notLoaded: "Review could not be loaded",
  notLoadedText: "The rest of panewatch goes on.",
  emptyTitle: "All caught up",
  emptyNext: (time: string) => `The next window is at ${time}.`,
  inTerminal: "In the terminal",
  aPane: "A pane",
  paneWaits: "Waits in its pane",
  paneFailed: "Reported an error in its pane",
  paneStays: (n: number) =>
    n === 1 ? "It stays until its pane goes on." : "These stay until their panes go on.",
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
  changes: "What changed",
  bound: "bound to its pane",
  agentPage: "Agent page",
  changedSince: (time: string) => `Changed since ${time}`,
  changedFirst: "What it did, first look",
  nothingChanged: "Nothing has changed since your last look.",
  onScreen: "On its screen now",
  noScreen: "Its screen is empty.",
  saidSince: "Said since then",
  saidLast: "Said last",
  context: "Context",
  waitsSince: (time: string) => `Waits since ${time}`,
  asksNothing: "It asks nothing.",
  reviewedMeans: (time: string) => `Reviewed means the state of ${time} that is shown here.`,
  /** After the first mark of a visit. */
  noUndo: "A mark cannot be taken back; the timeline keeps everything.",
  emptyText: "What an agent changes or asks appears here.",
  keys: {
    move: "next, previous",
    pick: "pick",
    send: "send the pick",
    reviewed: "reviewed",
    later: "later",
    choose: "choose",
    leaveOpen: "leave open",
    sendPlan: "send the plan",
    leavePlan: "leave the plan",
    all: "all keys",
  },
  yourPlan: "Your plan",
  open: "Open",
  remove: (name: string) => `Leave ${name} open`,
  planHint:
    "One after another. Each question is read again before its answer is sent; what has changed is left out and shown.",
};

export const reviewSettings = {
  title: "Review",
  collect: "Collect what changes",
  window: "Window",
  windowHint:
    "Ordinary questions and changes wait for it. Then one notification comes, and only if there is something.",
  off: "Off",
  minutes: (n: number) => `${n} min`,
  custom: "Custom",
  every: "Every",
  unit: "min",
  customLabel: "Minutes between two windows",
  customHint: (least: number, most: number) => `${least} to ${most} minutes`,
  noNumber: "This has to be a number of minutes.",
  atLeast: (n: number) => `At least ${count(n, "minute", "minutes")}.`,
  atMost: (n: number, isDay: boolean) =>
    `At most ${count(n, "minute", "minutes")}${isDay ? ", which is one day" : ""}.`,
  stillEvery: (n: number) => `Still every ${n} min.`,
  stillOff: "Still off.",
  next: "Next",
  nextHint: "Marking something as reviewed starts the window again",
  dueNow: "Due now",
  lastDigest: "Last digest",
  notCollected: "Not collected",
  urgent: "Urgent decisions",
  urgentHint: "Those that an agent itself calls high or critical",
  atOnce: "Always at once",
  errors: "Errors of panes",
  errorsHint: "Else they wait for the window too",
  offMeans: "Off means: every question alerts at once, and Review still collects what changed.",
};

export const pass = {
  goThrough: "Go through",
  at: (n: number, of: number) => `${n} of ${of}`,
  progress: "Progress",
  leave: "Leave",
  previous: "Previous",
  later: "Later",
  reviewed: "Reviewed",
  next: "Next",
  goal: "Goal",
  nextStep: "Next",
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
  figures: { reviewed: "Reviewed", answered: "Answered", left: "Left" },
  left: "Left for later",
  queue: "Queue",
  done: "Done",
};

export const plan = {
  plan: "Plan answers",
  title: "Plan answers",
  nothingSent: "nothing is sent yet",
  open: "Stays open",
  leaveOpen: "Leave it open",
  changed: "The question has changed since you chose",
  changedText: "Choose again, or leave it open.",
  answered: (time: string) => `Answered at ${time}, not from this plan.`,
  notFromHere: "Not from here",
  blocked: {
    terminal: "Answer this one in the terminal.",
    uncertain: "An answer may not have arrived. Inspect its terminal first.",
    submitting: "An answer is on its way.",
    over: "It was answered.",
    stale: "It has to be read again first.",
  },
  restored: "Your plan, read again now",
  restoredText: (n: { fit: number; changed: number; ended: number; uncertain: number }) =>
    [
      count(n.fit, "choice still fits", "choices still fit"),
      ...(n.changed > 0
        ? [count(n.changed, "question has changed", "questions have changed")]
        : []),
      ...(n.ended > 0 ? [count(n.ended, "was answered elsewhere", "were answered elsewhere")] : []),
      ...(n.uncertain > 0 ? [count(n.uncertain, "is in doubt", "are in doubt")] : []),
    ].join(", ") + ".",
  clear: "Clear",
  emptyTitle: "Nothing to answer",
  emptyText: "No agent asks anything that can be answered from here.",
  backToReview: "Back to Review",
  backToPlan: (n: number) => `Back to the plan, ${count(n, "answer", "answers")} left`,
  send: (n: number) => (n === 0 ? "Nothing chosen" : `Send ${count(n, "answer", "answers")}`),
  staysOpen: (n: number) => `, ${count(n, "stays", "stay")} open`,
  sending: (n: number, of: number) => `Sending ${Math.max(1, n)} of ${of}`,
  oneByOne: "one after another, each is read again first",
  readingAgain: "Reading the question again, then sending",
  checking: "Checking",
  unclear: "Unclear",
  notSent: "Not sent",
  sentAt: (time: string, isSeen: boolean) => `Sent ${time}${isSeen ? ", seen in its log" : ""}`,
  stop: "Stop after this one",
  stopping: "Stopping after this one",
  mayLeave: "You can leave this screen. What is not sent when the app closes stays in the plan.",
  notAgain: "Nothing is tried again by itself.",
  result: (n: { sent: number; unsent: number; unclear: number }) =>
    [
      `${n.sent} sent`,
      ...(n.unsent > 0 ? [`${n.unsent} not`] : []),
      ...(n.unclear > 0 ? [`${n.unclear} unclear`] : []),
    ].join(", "),
  left: "Not sent: you stopped before it. It stays in the plan.",
  chooseAgain: "Choose again",
  changedBy: (by: { kind: string; before?: string; after?: string }) => {
    const text = "Your choice is not carried over.";
    if (by.kind === "option")
      return {
        title: "Not sent: the options changed",
        text: `“${by.before}” became “${by.after}”. ${text}`,
      };
    if (by.kind === "options") return { title: "Not sent: the options changed", text };
    if (by.kind === "question") return { title: "Not sent: the question changed", text };
    return { title: "Not sent: what it stands on changed", text };
  },
  ends: {
    gone: { title: "Not sent: it was answered meanwhile", text: "Not from this plan." },
    refused: {
      title: "Not sent",
      text: "It could not be read again, or its terminal is busy or in doubt. It stays in the plan.",
    },
    skipped: {
      title: "Not sent: an earlier answer of this agent did not go through",
      text: "It stays in the plan.",
    },
  },
};
