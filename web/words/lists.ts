import { count } from "./common.ts";

export const active = {
  inQueue: (n: number) => (n === 1 ? "1 waits in the queue" : `${n} wait in the queue`),
};

export const all = {
  search: (n: number) => `Search ${count(n, "pane", "panes")}`,
  clearSearch: "Clear search",
  sort: (name: string) => `Sort: ${name}`,
  sorts: {
    session: "By session",
    waiting: "Waiting first",
    changed: "Last change",
    name: "By name",
  },
  starsFirst: "Stars first",
  sortTitle: "Sort",
  everything: "All",
  filters: "Filter by status",
  waiting: "Waiting",
  notRunning: "Not running",
  noSession: "Other",
  emptyTitle: "No panes yet",
  emptyText: "Start a terminal session and its panes appear here.",
  noMatchTitle: "No match",
  clear: "Clear",
  lastLines: "Last lines",
  open: "Open",
  peek: (name: string) => `Last lines of ${name}`,
  closePeek: "Hide last lines",
  configured: "Configured, not running",
  unsentDrafts: "Unsent drafts",
  discard: "Discard",
  discardDraft: (name: string) => `Discard the draft for ${name}`,
  shortcuts: "Shortcuts",
  list: "Panes",
};
