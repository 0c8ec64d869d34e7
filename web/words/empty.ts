import { count } from "./common.ts";

/** Of the queue: what few cards or none need, and what comes with the parts that load later. */
export const empty = {
  emptyWorking: (n: number) =>
    `${count(n, "agent is", "agents are")} working. The queue fills when one stops to ask.`,
  watching: (provider: string, panes: number) =>
    `Watching ${provider}: ${count(panes, "pane", "panes")}`,
  hidden: (n: number) => `${count(n, "idle shell", "idle shells")} hidden.`,
  firstSteps: {
    mux: [
      { step: "Start tmux in a terminal", command: "tmux new -s work" },
      { step: "Start an agent in it", command: "claude" },
    ],
    wsp: [
      { step: "Start herdr in a terminal", command: "herdr" },
      { step: "Start an agent in it", command: "claude" },
    ],
  },
};
