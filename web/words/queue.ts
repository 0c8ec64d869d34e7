import { riskSentence } from "../../src/protocol/labels.ts";
import type { Cut } from "../../src/protocol/pane.ts";
import { count } from "./common.ts";
import { refusedText } from "./refusals.ts";

export const queue = {
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
};

export const answer = {
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
  at: (time: string) => `at ${time}`,
};

export const once = {
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
