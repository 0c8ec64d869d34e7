import type { MessageStatus } from "../../src/protocol/agents.ts";
import { count } from "./common.ts";

/** A day within a sentence. */
const within = (day: string): string =>
  day.replace(/^(Today|Yesterday)$/, (word) => word.toLowerCase());

export const chat = {
  search: "Search what was said",
  done: "Done",
  filter: "Filter",
  all: "All",
  foundAll: (n: number, day: string) =>
    count(n, "message", "messages") + (day === "" ? "" : `, kept since ${within(day)}`),
  foundSome: (n: number) => `${count(n, "message", "messages")} so far`,
  mayBeMore: "Older messages are no longer kept.",
  newer: (n: number) => count(n, "new message", "new messages"),
  code: "Code",
  copyCode: "Copy this code",
  leadsTo: (host: string) => `Leads to ${host}`,
  openLink: "Open in a new tab",
  time: "Time",
  anyTime: "Any time",
  times: { today: "Today", week: "Last 7 days", month: "Last 30 days" },
  you: "You",
  begin: "The first message.",
  truncated: "Older messages are no longer kept.",
  keptFrom: (day: string) => `Kept since ${within(day)}.`,
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
};
