import { count } from "./common.ts";

export const broadcast = {
  reasons: {
    waiting: "Waits for an answer; text would answer it",
    offline: "Offline",
    stale: "Cannot be read now",
    guarded: "Takes guarded input only",
    held: "Something may have arrived there; look at its terminal first",
    read_only: "Takes no input",
  },
  send: (n: number) => (n === 0 ? "Choose panes" : `Send to ${count(n, "pane", "panes")}`),
};
