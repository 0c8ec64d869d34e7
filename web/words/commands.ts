import { count } from "./common.ts";

export const commands = {
  queue: "Queue",
  agents: "Agents",
  timeline: "Timeline",
};

export const palette = {
  title: "Search or run",
  field: "Search panes, agents and commands",
  placeholder: "Panes, agents, commands",
  results: "Results",
  waiting: "Waiting",
  panes: "Panes",
  agents: "Agents",
  settings: "Settings",
  commands: "Do",
  none: "Nothing matches",
  noneText: "Try fewer letters.",
  broadcastTo: "Broadcast to the matches",
  broadcastCount: (taking: number, found: number) =>
    `${taking} of ${count(found, "pane", "panes")}`,
  move: "move",
  open: "open",
  onlyCommands: "only commands",
  found: (n: number) => (n === 0 ? "Nothing matches" : count(n, "result", "results")),
};

export const help = {
  groups: {
    go: "Go",
    move: "Move",
    answer: "Answer",
    review: "Card",
    pane: "Pane",
    files: "Changes",
    do: "Do",
    look: "Look",
  },
};
