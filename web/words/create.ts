import { count } from "./common.ts";

export const create = {
  title: "New",
  types: { session: "Session", window: "Window", pane: "Pane" },
  what: "What to create",
  machine: "Machine",
  isAway: (name: string) => `${name} · away`,
  unavailable: "Nothing can be created now",
  failedToAsk: (reason: string) =>
    reason === "" ? "The server did not answer." : `The server could not say: ${reason}`,

  parentSession: "In session",
  noSessions: "There is no session yet. Create one first.",
  split: "Split",
  parentPane: "Pane to split",
  noPanes: "There is no pane to split.",
  direction: "Direction",
  splits: { side_by_side: "Side by side", stacked: "Stacked" },
  size: "New pane gets",
  percent: (n: number) => `${n}%`,
  newName: (runtime: string) => `new ${runtime}`,

  directory: "Directory",
  path: "Path",
  filter: (n: number) => `Filter ${count(n, "folder", "folders")}`,
  noFolders: "No folders in here.",
  noMatch: "No folder matches.",
  truncated: (n: number) => `Only the first ${n} are shown.`,
  roots: "Roots",
  recent: "Recent",
  loading: "Loading",
  cannotList: (reason: string) =>
    reason === "" ? "The folder could not be read." : `The folder could not be read: ${reason}`,

  run: "Run",
  name: "Name",
  optional: "optional",
  firstMessage: "First message",
  firstMessageHint: "Typed in as soon as the agent is ready for it.",
  willTell: "The first message is typed in when the agent is ready.",
  told: "The first message was sent.",
  notTold: (reason: string) =>
    `The first message was not sent${reason === "" ? "" : `: ${reason}`}. It stands in the pane’s field.`,
  fateLost:
    "The service was started anew: the first message may have arrived before. Look at its terminal.",
  nameHint: "Letters, digits, _ and -. Left empty, the directory name is used.",
  nameProblem: {
    characters: "Only letters, digits, _ and -.",
    length: "At most 64 characters.",
  },

  create: { session: "Create session", window: "Create window", pane: "Create pane" },
  creating: "Creating",
  failed: (reason: string) => (reason === "" ? "Not created." : `Not created: ${reason}`),
  uncertain:
    "The connection dropped. It may have been created: look at the list before you try again.",
};
