/** Why nothing was sent, and what to do next, by the reason that the server gives. */
export const refusedText = {
  prompt_changed: "The terminal moved on while you were answering. Here is what it asks now.",
  options_changed: "The terminal moved on while you were answering. Here is what it asks now.",
  endpoint_stale:
    "The server cannot be sure of this pane right now. Answers come back when it can read it.",
  host_away: "Its machine is away. Answers come back with it.",
  endpoint_moved: "The pane has moved. Find it in All, and read it there.",
  revision_stale: "The pane has changed since you saw it. Read it again.",
  capability_unavailable: "This pane does not take that from here. Answer in its terminal.",
  unknown_pane: "The pane is gone. What you wrote is kept.",
  idempotency_key_expired: "The server was restarted meanwhile. Read the pane again.",
  no_connection: "The server could not be asked. Nothing has left this page.",
  unseen: "It never arrived. It may be sent again.",
  other: "The server refused it.",
};

/** The same in one line: in our words where the reason is one for programs, else in the server's. */
export function notSent(reason: string): string {
  if (reason === "") return "Not sent.";
  const known = Object.entries(refusedText).find(([name]) => name === reason);
  return `Not sent: ${known?.[1] ?? reason}`;
}

/** Of a list of messages that wait; the composer and the list say it. */
export const notDone = (reason: string): string =>
  reason === "" ? "Not changed" : `Not changed: ${reason}`;
export const UNCERTAIN =
  "Nobody said whether this arrived. Look at the list before you do it again.";
