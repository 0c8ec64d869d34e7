import { count } from "./common.ts";

export const palette = {
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
