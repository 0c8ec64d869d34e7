/** By reason code of the server or of this page. */
const TEXTS = {
  changed: "the prompt changed.",
  moved: "the screen has just changed. Press it again.",
  prompt_changed: "The terminal moved on while you were answering. Here is what it asks now.",
  options_changed: "The terminal moved on while you were answering. Here is what it asks now.",
  endpoint_stale:
    "The server cannot be sure of this pane right now. Answers come back when it can read it.",
  host_away: "Its machine is away. Answers come back with it.",
  endpoint_moved: "The pane has moved. Find it in All, and read it there.",
  revision_stale: "The pane has changed since you saw it. Read it again.",
  capability_unavailable: "This pane does not take that from here. Answer in its terminal.",
  draft_there: "Something is typed into its input line already. Look at its screen.",
  unknown_pane: "The pane is gone. What you wrote is kept.",
  pane_gone: "The pane is gone. What you wrote is kept.",
  pane_unreadable: "Its screen could not be read. Answers come back when it can.",
  other_program: "Another program runs in it now. Look at its screen.",
  idempotency_key_expired: "The server was restarted meanwhile. Read the pane again.",
  no_connection: "The server could not be asked. Nothing has left this page.",
  unseen: "It never arrived. It may be sent again.",
};

export type Refusal = keyof typeof TEXTS;
const isKnown = (reason: string): reason is Refusal => Object.hasOwn(TEXTS, reason);

/** Reason codes in words; sentences stay as they are. */
export const spelled = (reason: string): string =>
  /^[a-z_]+$/.test(reason) ? reason.replaceAll("_", " ") : reason;

/** A known code in our words, else the server's. */
export function refusedText(reason: string): string {
  if (reason === "") return "The server refused it.";
  return isKnown(reason) ? TEXTS[reason] : `The server refused it: ${spelled(reason)}`;
}

/** As one line, after what was not done. */
export const reasonText = (reason: string): string =>
  isKnown(reason) ? TEXTS[reason] : spelled(reason);

export const notSent = (reason: string): string =>
  reason === "" ? "Not sent." : `Not sent: ${reasonText(reason)}`;
