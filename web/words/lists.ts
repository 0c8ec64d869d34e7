import { count } from "./common.ts";

export const active = {
  inQueue: (n: number) => (n === 1 ? "1 waits in the queue" : `${n} wait in the queue`),
};

export const all = {
  search: (n: number) => `Search ${count(n, "pane", "panes")}`,
  sorts: {
    session: "By session",
    waiting: "Waiting first",
    changed: "Last change",
    name: "By name",
  },
};
