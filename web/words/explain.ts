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

export const wrong = {
  open: "This is wrong",
  title: "This is wrong",
  back: "Back to why",
  loading: "Taking the screen",
  lookFailed: (reason: string) =>
    reason === "" ? "The server did not answer." : `The screen was not taken: ${reason}`,
  lead: "This will be saved on the server, in a folder for you to look at, and sent nowhere. Tap words and paths that nobody should see, or write them below: each is blanked out wherever it stands.",
  screen: "Screen",
  beside: "Saved beside it",
  windowTitle: "Title",
  command: "Command",
  process: "Process",
  blankedOut: "Blanked out",
  blankedCount: (n: number, most: number) => (n < most ? String(n) : `${n}, no more can be marked`),
  word: "Word or path",
  wordHint: "Upper and lower case differ.",
  mark: "Blank out",
  unmark: (word: string) => `Show “${word}” again`,
  really: "What it really was",
  notSaid: "I do not say",
  note: "What was read wrong",
  notePlaceholder: "For whoever mends it. Saved too.",
  save: "Save",
  saving: "Saving",
  saved: (name: string) =>
    `Saved as ${name}, in “cases” below the state directory of the server. Nothing was sent anywhere.`,
  lookAgain: "Take the screen again",
  failed: {
    draft_gone: "The server holds this screen no more: it was saved before, or it waited too long.",
    too_many_cases: "Not saved: there are as many as the server keeps. Remove some there.",
  },
  saveFailed: (reason: string) =>
    reason === ""
      ? "The server did not answer. Saving again saves it only once."
      : `Not saved: ${reason}`,
};
