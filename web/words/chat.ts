import type { MessageStatus } from "../../src/protocol/agents.ts";
import { count } from "./common.ts";
import { notSent } from "./refusals.ts";

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
    `${count(n, "message", "messages")}, all that are kept${day === "" ? "" : ` (from: ${day})`}`,
  foundSome: (n: number) => `${count(n, "message", "messages")} so far`,
  mayBeMore: "There may be more: the session is older than what is kept.",
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
  onlySaid: "Only what was said. Tool calls are in the terminal.",
  begin: "This is where what is kept begins.",
  truncated: "Older messages are not kept.",
  keptFrom: (day: string) => `Kept from: ${day}.`,
  reviewedHere: (time: string) => `Reviewed up to here, ${time}`,
  emptyTitle: "Nothing was said yet",
  emptyText: "Messages of this session appear here as soon as its log has them.",
  noMatchText: "No message of this session fits.",
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
    not_running: "It is not running.",
    no_pane: "Which pane it runs in is not certain.",
    unreadable: "Its pane cannot be read now.",
    asks: "It asks something. Answer that first.",
    failed: "It has failed. Its terminal says more.",
    working: "It is working. From here you can write once it waits for a task.",
    takes_none: "It takes no message from here now.",
    busy: "Something else is on its way to its pane.",
  },
  ways: {
    pane: "Open pane",
    decisions: "Decisions",
    choose: "Choose",
    inspect: "Inspect",
    retry: "Retry",
  },
};
