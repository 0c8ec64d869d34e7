import type { MessageStatus } from "../../src/protocol/agents.ts";
import { count } from "./common.ts";
import { notSent } from "./refusals.ts";

/** A day within a sentence. */
const within = (day: string): string =>
  day.replace(/^(Today|Yesterday)$/, (word) => word.toLowerCase());

export const chat = {
  search: "Search what was said",
  done: "Done",
  filter: "Filter",
  all: "All",
  both: "Both",
  yours: "Yours",
  /** What an agent said, by the first word of its program's name. */
  of: (program: string) => `${program.split(" ")[0] ?? program}’s`,
  foundAll: (n: number, day: string) =>
    count(n, "message", "messages") + (day === "" ? "" : `, kept since ${within(day)}`),
  foundSome: (n: number) => `${count(n, "message", "messages")} so far`,
  mayBeMore: "Older messages are no longer kept.",
  newer: (n: number) => count(n, "new message", "new messages"),
  sinceLast: (time: string) => `Since your last review, ${time}`,
  code: "Code",
  copyCode: "Copy this code",
  leadsTo: (host: string) => `Leads to ${host}`,
  openLink: "Open in a new tab",
  sinceReview: "Since review",
  time: "Time",
  anyTime: "Any time",
  times: { today: "Today", week: "Last 7 days", month: "Last 30 days" },
  you: "You",
  onlySaid: "Only what was said. What it ran is in its pane.",
  begin: "The first message.",
  truncated: "Older messages are no longer kept.",
  keptFrom: (day: string) => `Kept since ${within(day)}.`,
  reviewedHere: (time: string) => `Reviewed up to here, ${time}`,
  emptyTitle: "Nothing was said yet",
  emptyText: "What you and the agent say appears here.",
  noMatchText: "No message fits.",
  /** Of what was sent from panewatch; what was typed in the terminal has none. */
  states: {
    submitting: "Sending",
    sent: "Sent to its terminal",
    observed: "Seen in its log",
    unknown: "Unclear",
    failed: "Not sent",
  } satisfies Record<MessageStatus, string>,
  state: (state: string, time: string) => `${state} · ${time}`,
  uncertainTitle: "This may not have arrived",
  uncertainText: "Nobody knows whether it did. Look at the terminal before you write it again.",
  inspect: "Inspect terminal",

  messageTo: (name: string) => `Message ${name}`,
  send: "Send",
  tooLong: (limit: number, over: number) =>
    `At most ${limit} characters; ${count(over, "is", "are")} too many.`,
  refused: (reason: string) => `${notSent(reason).replace(/[^.!?]$/, "$&.")} Your text is kept.`,
  changed: "Not sent: it is no longer as you saw it. Your text is kept.",
  moved: "Not sent: the screen has just changed. Send it again.",
  /** Why nothing can be written now. */
  obstacles: {
    in_doubt: "What was sent last is unclear. Look at the terminal first.",
    no_connection: "No connection. Your text is kept.",
    not_updated: "What you see may be old. Your text is kept.",
    not_running: "It is offline.",
    no_pane: "Which pane it runs in is not certain.",
    unreadable: "Its pane cannot be read now.",
    asks: "It asks something. Answer that first.",
    failed: "It has failed. Its terminal says more.",
    working: "It is working. You can write here once it is idle; its pane takes text now.",
    takes_none: "It takes no message from here now.",
    busy: "Something else is on its way to its pane.",
  },
  ways: {
    pane: "Open pane",
    choose: "Choose",
    inspect: "Inspect",
    retry: "Retry",
  },
};
