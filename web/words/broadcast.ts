import { count } from "./common.ts";

export const broadcast = {
  working: (n: number) => `Working agents ${n}`,
  idle: (n: number) => `Idle agents ${n}`,
  reasons: {
    waiting: "Waits for an answer; text would answer it",
    offline: "Offline",
    stale: "Cannot be read now",
    guarded: "Takes guarded input only",
    held: "Something may have arrived there; look at its terminal first",
    read_only: "Takes no input",
  },
  send: (n: number) => (n === 0 ? "Choose panes" : `Send to ${count(n, "pane", "panes")}`),
  sending: (n: number) => `Sending to ${count(n, "pane", "panes")}`,
  sentAll: (n: number) => `Sent to ${count(n, "pane", "panes")}.`,
  sentSome: (sent: number, all: number) => `Sent to ${sent} of ${count(all, "pane", "panes")}.`,
  refused: (reason: string) =>
    reason === ""
      ? "Nothing was sent: no chosen pane takes it now."
      : `Nothing was sent: ${reason}`,
  shellLines: (lines: number) => `A shell runs each of the ${lines} lines.`,
  tooMany: (n: number) => `At most ${n} panes at once; the rest is left out.`,
};
