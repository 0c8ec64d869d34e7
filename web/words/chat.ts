import type { MessageStatus } from "../../src/protocol/agents.ts";
import { count } from "./common.ts";

/** A day within a sentence. */
const within = (day: string): string =>
  day.replace(/^(Today|Yesterday)$/, (word) => word.toLowerCase());

export const chat = {
  foundAll: (n: number, day: string) =>
    count(n, "message", "messages") + (day === "" ? "" : `, kept since ${within(day)}`),
  foundSome: (n: number) => `${count(n, "message", "messages")} so far`,
  leadsTo: (host: string) => `Leads to ${host}`,
  times: { today: "Today", week: "Last 7 days", month: "Last 30 days" },
  keptFrom: (day: string) => `Kept since ${within(day)}.`,
  /** Of what was sent from panewatch; what was typed in the terminal has none. */
  states: {
    submitting: "Sending",
    sent: "Sent to its terminal",
    observed: "Seen in its log",
    unknown: "Unclear",
    failed: "Not sent",
  } satisfies Record<MessageStatus, string>,
};
