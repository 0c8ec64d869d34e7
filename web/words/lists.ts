import { count } from "./common.ts";

export const active = {
  inQueue: (n: number) => (n === 1 ? "1 waits in the queue" : `${n} wait in the queue`),
  working: "Working",
  parked: "Parked",
  idle: "Idle",
  emptyTitle: "All quiet",
  emptyText: "No agent is working or waiting.",
  toAll: "Show all panes",
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

/** Beside the lists. */
export const noPane = {
  title: "Choose a row",
  text: "It opens here.",
};

/** What was asked of a pane, from its row or its menu, and was not done. */
export const notDone = {
  starFailed: "The star could not be saved.",
  forgetFailed: "It was not forgotten.",
};
