import { count } from "./common.ts";

export const create = {
  types: { session: "Session", window: "Window", pane: "Pane" },
  failedToAsk: (reason: string) =>
    reason === "" ? "The server did not answer." : `The server could not say: ${reason}`,

  splits: { side_by_side: "Side by side", stacked: "Stacked" },
  percent: (n: number) => `${n}%`,

  filter: (n: number) => `Filter ${count(n, "folder", "folders")}`,
  cannotList: (reason: string) =>
    reason === "" ? "The folder could not be read." : `The folder could not be read: ${reason}`,

  nameProblem: {
    characters: "Only letters, digits, _ and -.",
    length: "At most 64 characters.",
  },

  create: { session: "Create session", window: "Create window", pane: "Create pane" },
  failed: (reason: string) => (reason === "" ? "Not created." : `Not created: ${reason}`),
};
