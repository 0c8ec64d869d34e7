import { count } from "./common.ts";

/** The parts of the agent workspace that stand on screens of the terminals. */
export const places = {
  queue: "Queue",
  waiting: "Waiting",
  review: "Review",
  all: "All",
  panes: "Panes",
  agents: "Agents",
  timeline: "Timeline",
  due: "A review window is due",
  cards: (n: number) => count(n, "card", "cards"),
  open: "Open",
};
