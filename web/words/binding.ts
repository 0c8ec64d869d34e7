import { timeOfDay } from "./common.ts";
import { lazy } from "./lazy.ts";

/** Which pane an agent is in, and what becomes of what was read of it. */
export const binding = {
  which: "Which pane is it?",
  likely: "One pane could be its own, but nothing proves it.",
  several: (n: number) => `${n} panes could be its own, and nothing says which.`,
  letGo: "Its pane was unlinked.",
  untilChosen: "Until you choose, you can read here but not answer or write.",
  choose: "Choose the pane",

  nowhere: "No pane is known for it",
  nowhereText:
    "No pane that runs now could be its own: it may run elsewhere, or have ended. You can read here but not answer or write.",

  over: (time: string) => `Offline since ${time}`,
  kept: (day: string) => `What it said last is kept until ${day}.`,
  goOn: "To go on, run this in its folder:",
  copyCommand: "Copy the command",

  release: "Unlink this pane",
  deleteHistory: "Delete what was read",

  saidLast: (time: string) => `It said last, at ${time}:`,
  askedLast: "You asked it last:",
  saidNothing: "Nothing that it said is known yet.",
  panes: "Panes",
  sure: (percent: number) => `${percent}%`,
  forTime: (status: string, time: string) =>
    time === "now" ? `${status}.` : `${status} for ${time}.`,
  noLines: "Its screen is not known here.",
  vanished: "This pane is not there any more.",
  canLetGo: "You can unlink it again at any time.",
  itIs: (name: string) => `It is ${name}`,
  pick: "Choose a pane",
  binding: "Choosing",
  bound: (name: string) => `It is ${name} from now on.`,
  developments: {
    renewed: "Its panes were looked at anew since you opened this.",
    others: "Other panes could be its own now.",
    found: "Its pane has been found meanwhile.",
    none: "No pane could be its own any more.",
  },
  again: "Show them anew",
  close: "Close",

  releaseUnderWay:
    "An answer is on its way to this pane. Wait until it is known what became of it.",
  released: "Unlinked. You can choose a pane again.",
  keep: "Keep it",

  deleteTitle: "Delete its history?",
  since: (day: string) => `known since ${day}`,
  deleted:
    "Messages, timeline and decisions, and the marks of your reviews, are deleted for everyone.",
  deletedOpen: (n: number) =>
    n === 1
      ? "Its open question can only be answered in the terminal then."
      : `Its ${n} open questions can only be answered in the terminal then.`,
  stays: (program: string) => `The log that ${program} keeps itself stays as it is.`,
  staysNow: "What the agent does now stays known: goal, task, progress.",
  forGood: "It cannot be taken back.",
  deleting: "Deleting",
  wasDeleted: "Its history is deleted.",

  changed: {
    bind: "Not chosen: something changed",
    release: "Not unlinked: something changed",
    delete: "Not deleted: something changed",
  },
  gone: {
    bind: "Not chosen: that pane is gone",
    release: "Not unlinked: this agent is gone",
    delete: "Not deleted: this agent is gone",
  },
  failed: { bind: "Not chosen", release: "Not unlinked", delete: "Not deleted" },
  lost: {
    bind: "Nobody knows whether it was chosen",
    release: "Nobody knows whether it was unlinked",
    delete: "Nobody knows whether it was deleted",
  },
  lostText: "The server did not answer. What is shown was read again where that was possible.",
  because: (reason: string) => `The server says: ${reason}.`,
  reasons: {
    "stale binding revision": "What was known of its pane is not what is known now.",
    "another runtime's program runs in this pane": "Another program runs in that pane now.",
    "the pane works in another folder": "That pane works in another folder now.",
  },
};

/** What a refusal means, in words of ours where we have them. */
export function refusalText(reason: string): string {
  if (reason === "") return "";
  const known = Object.entries(binding.reasons).find(([said]) => said === reason);
  return known === undefined ? binding.because(reason) : known[1];
}

const day = lazy(() => new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long" }));

/** Epoch seconds as a day: `20 December`. */
export const dayName = (at: number): string => day().format(new Date(at * 1000));

/** Epoch seconds as a moment; `daysAgo` is in whole days. */
export function momentText(at: number, daysAgo: number): string {
  if (daysAgo === 0) return timeOfDay(at);
  return daysAgo === 1 ? `yesterday, ${timeOfDay(at)}` : `${dayName(at)}, ${timeOfDay(at)}`;
}
