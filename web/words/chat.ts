import type { MessageStatus } from "../../src/protocol/agents.ts";

export const chat = {
  search: "Search what was said",
  sinceReview: "Since review",
  you: "You",
  onlySaid: "Only what was said. Tool calls are in the terminal.",
  readHere: "Messages are written in its pane.",
  begin: "This is where what is kept begins.",
  truncated: "Older messages are not kept.",
  keptFrom: (day: string) => `Kept from: ${day}.`,
  reviewedHere: (time: string) => `Reviewed up to here, ${time}`,
  emptyTitle: "Nothing was said yet",
  emptyText: "Messages of its session appear here.",
  noMatchText: "No message of this session fits.",
  /** Of what was sent from panewatch; what was typed in the terminal has none. */
  states: {
    submitting: "Sending",
    sent: "Sent to its terminal",
    observed: "Seen in its log",
    unknown: "May not have arrived",
    failed: "Not sent",
  } satisfies Record<MessageStatus, string>,
};
