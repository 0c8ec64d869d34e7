import { count, waitText } from "./common.ts";

export const explain = {
  title: "Why this status?",
  loading: "Looking at the pane",
  failed: (reason: string) =>
    reason === "" ? "The server did not answer." : `The server could not say: ${reason}`,
  status: "Status",
  kind: "Kind",
  by: (rule: string) => `by ${rule}`,
  line: "The line that decided",
  noLine: "No single line decided.",
  age: (seconds: number) =>
    seconds < 5 ? "It has just appeared." : `It has been there for ${waitText(seconds)}.`,
  lineNumber: (n: number) => `line ${n}`,
  evidence: "Known by",
  region: "What counts as live",
  regionLines: (start: number, end: number) =>
    end <= start ? "no line" : `lines ${start + 1} to ${end}`,
  prompt: "Prompt",
  promptFacts: (isRecognised: boolean, options: number) =>
    `${isRecognised ? "A dialog that is known" : "Not a dialog that is known"}, ${count(options, "answer", "answers")}`,
  ruledOut: "What was ruled out",
  matched: "matched",
  notMatched: "did not match",
  again: "Look again",
};
