import { count } from "./common.ts";

export const broadcast = {
  title: "Broadcast",
  text: "Text for every chosen pane",
  placeholder: "One text for many panes",
  enter: "Press Enter after the text",
  sendTo: "Send to",
  working: (n: number) => `Working agents ${n}`,
  idle: (n: number) => `Idle agents ${n}`,
  none: "None",
  others: "Shells and programs",
  leftOut: "Left out",
  reasons: {
    waiting: "Waits for an answer; text would answer it",
    offline: "Offline",
    stale: "Cannot be read now",
    guarded: "Takes guarded input only",
    held: "Something may have arrived there; look at its terminal first",
    read_only: "Takes no input",
  },
  noRecipients: "No pane takes a broadcast now.",
  send: (n: number) => (n === 0 ? "Choose panes" : `Send to ${count(n, "pane", "panes")}`),
  writeFirst: "Write a text first.",
  sending: (n: number) => `Sending to ${count(n, "pane", "panes")}`,
  sentAll: (n: number) => `Sent to ${count(n, "pane", "panes")}.`,
  sentSome: (sent: number, all: number) => `Sent to ${sent} of ${count(all, "pane", "panes")}.`,
  failed: "Not sent",
  failedText: "These panes did not get the text. They stay chosen.",
  uncertain:
    "The connection dropped while the text was being sent. Some panes may have it: look at them before you send it again.",
  refused: (reason: string) =>
    reason === ""
      ? "Nothing was sent: no chosen pane takes it now."
      : `Nothing was sent: ${reason}`,
  offline: "No connection. The text is kept.",
  shellLines: (lines: number) => `A shell runs each of the ${lines} lines.`,
  tooMany: (n: number) => `At most ${n} panes at once; the rest is left out.`,
};
