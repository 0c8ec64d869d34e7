import { riskSentence } from "../../src/protocol/labels.ts";
import type { Cut } from "../../src/protocol/pane.ts";
import { count } from "./common.ts";
import { refusedText } from "./refusals.ts";

export const queue = {
  region: "Attention queue",
  summary: (waiting: number, longest: string | null) => {
    if (waiting === 0) return "Nothing waits for you";
    return longest === null ? `${waiting} waiting` : `${waiting} waiting, longest ${longest}`;
  },
  sections: {
    waiting: "Waiting",
    errors: "Errors",
    blocked: "Blocked",
    changed: "Changed",
    finished: "Finished",
  },
  urgent: "Urgent",
  goThrough: "Go through",
  arrived: (n: number) => `${n} new`,
  noLongerWaiting: "No longer waiting",
  openPane: "Open pane",
  putAway: "Put away",
  later: "Later",
  replyContinue: (text: string) => `Reply “${text}”`,
  loading: "Loading",
  pullToOrder: "Let go to order again",
};

export const answer = {
  highlighted: ", highlighted in the terminal",
  opensField: ", opens a field",
  onlyInTerminal: "Only in its terminal",
  suggests: "The agent suggests this one.",
  notAhead: "This one cannot be picked ahead. Answer it with “Answer now”, or in its pane.",
  thenWrite: "Chooses this first; then write below the terminal",
  ticked: ", ticked",
  notTicked: ", not ticked",
  send: "Send",
  pick: "Pick",
  sent: ", sent",
  confirmed: ", confirmed",
  notConfirmed: "Not confirmed yet",
  changedTitle: "This prompt just changed",
  changedText: "Read it again before you answer.",
  refusedTitle: (reason: "prompt" | "options" | "other") =>
    ({
      prompt: "Not sent: the prompt changed",
      options: "Not sent: the options changed",
      other: "Not sent",
    })[reason],
  refusedText,
  nativeDoubt: (provider: string, said: "idle" | "working" | "blocked", asks: boolean) => {
    const native = { idle: "idle", working: "working", blocked: "waiting" }[said];
    return asks
      ? `${provider} says ${native}; the screen asks.`
      : `${provider} says ${native}; the screen does not show it.`;
  },
  refusedBecause: (reason: string) => `The server refused it: ${reason}`,
  uncertain: "May have arrived. Look at its screen.",
  part: (label: string) =>
    `A part of “${label}” was sent, then the pane changed. Look at its screen.`,
  inspect: "Inspect terminal",
  readOnly: "Answer this one in the terminal.",
  staleTitle: "This pane cannot be read",
  staleText: "What is shown is from before. Answers come back when it can be read.",
  replyField: "Reply",
  replyPlaceholder: "Your reply",
  sentAsAnswer: "Sent as your answer.",
  moreText: "More",
  waitingFor: (wait: string) => `Waiting ${wait}`,
  at: (time: string) => `at ${time}`,
};

export const once = {
  cancel: "Cancel",
  run: "Run it",
  allow: "Allow always",
  mark: ", asks once more",
  grants: ", allows more than this",
  send: "Send it",
  sentence: riskSentence,
};

/** What a card does not show of its question. */
export function moreWords({ lines, characters }: Cut): string {
  const parts = [
    ...(lines > 0 ? [count(lines, "more line", "more lines")] : []),
    ...(characters > 0 ? [count(characters, "more character", "more characters")] : []),
  ];
  return `${parts.join(" and ") || "There is more above"}: open the terminal to read all.`;
}

export const announce = {
  waits: (name: string) => `${name} waits`,
  moreWait: (n: number) => count(n, "more agent waits", "more agents wait"),
};
