/** Of searching what was said in all sessions. */
export const said = {
  title: "Said",
  all: "All that was said",
  only: "only what was said",
  you: "You",
  both: "All",
  filter: "Filter what was said",
  agents: "Agents",
  ended: (program: string) => `${program}, ended`,
  older: "Find older",
  keptSince: (day: string) =>
    `Kept since ${day.replace(/^(Today|Yesterday)$/, (one) => one.toLowerCase())}`,
  failed: "What was said could not be searched",
  off: "Agent workspace finds what was said.",
  switchOn: "Switch on",
  toEnd: "To the newest",
};
