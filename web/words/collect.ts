export const collect = {
  mode: "What a tap does",
  now: "Answer now",
  collect: "Collect answers",
  chosen: (n: number, open: number) => {
    const rest = open > 0 ? `, ${open} left open` : "";
    return n === 0 ? `Nothing chosen${rest}.` : `${n} chosen${rest}. Nothing is sent yet.`;
  },
  clear: "Clear",
  send: (n: number) => (n === 0 ? "Send" : `Send ${n}`),
  changed: "It asks something else now.",
  lost: {
    changed: "Choose again, or leave it open.",
    gone: "What you had chosen for it was for a question that is over.",
  },
  notChoosable: {
    now: "This one cannot be chosen ahead. Answer it now, or in its pane.",
    submitting: "An answer is on its way.",
  },
  leaveOpen: "Leave open",
  opensField: ", opens a field",
  suggests: "The agent suggests this one.",
  ownWords: "Your own words",
  useWords: "Choose",
  cancel: "Cancel",
  sending: (n: number, of: number) => `Sending ${n} of ${of}`,
  stop: "Stop after this one",
  stopping: "Stopping after this one",
  result: (n: { sent: number; unsent: number; unclear: number; left: number }) =>
    [
      `${n.sent} sent`,
      ...(n.unsent > 0 ? [`${n.unsent} not`] : []),
      ...(n.unclear > 0 ? [`${n.unclear} unclear`] : []),
      ...(n.left > 0 ? [`${n.left} to go`] : []),
    ].join(", "),
  done: "Done",
  next: ", next",
  isSending: ", sending",
  notSent: {
    changed: "Not sent: it asks something else now. Read it and choose again.",
    gone: "Not sent: it was answered meanwhile, not from this screen.",
    refused: "Not sent: its terminal is busy, or could not be read again. It stays chosen.",
    skipped: "Not sent: an earlier answer of this agent was not sent. It stays chosen.",
    stopped: "Not sent: you stopped. It stays chosen.",
  },
  showNew: "Show the new question",
};

export const through = {
  at: (section: string, n: number, of: number) => `${section}, ${n} of ${of}`,
  progress: "Gone through",
  leave: "Back to the queue",
  previous: "Previous",
  later: "Later",
  next: "Next",
  over: "Nothing is left of it to look at.",
  nothingLeft: "Nothing left",
  left: (n: number) => `${n} left for later`,
  done: "Done",
};
