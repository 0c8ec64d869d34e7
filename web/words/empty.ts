import { count } from "./common.ts";

/** Of the queue: what few cards or none need, and what comes with the parts that load later. */
export const empty = {
  reviewedName: (name: string) => `Reviewed: ${name}`,
  emptyWorking: (n: number) =>
    `${count(n, "agent is", "agents are")} working. The queue fills when one stops to ask.`,
  watching: (provider: string, panes: number) =>
    `Watching ${provider}: ${count(panes, "pane", "panes")}`,
  hidden: (n: number) => `${count(n, "idle shell", "idle shells")} hidden.`,
  unreadTitle: (provider: string) => `${provider} cannot be read`,
  nothingRuns: (provider: string) => `No ${provider} is running`,
  sees: (provider: string) => `panewatch sees agents that run inside ${provider}.`,
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
  appears: (provider: string) =>
    `It appears here within a second. An agent outside ${provider} is not seen.`,
};
