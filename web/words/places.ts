/** The parts of the agent workspace that stand on screens of the terminals. */
export const places = {
  all: "All",
  panes: "Panes",
  agents: "Agents",
  timeline: "Timeline",
  introduced: "See what changed since you last looked",
  introducedText:
    "The agent workspace reads the logs of Claude Code and Codex on the server. It is off.",
  whatItReads: "What it reads",
  notNow: "Not now",
};
