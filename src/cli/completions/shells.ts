import type { Command } from "../command.ts";
import { bashCompletions } from "./bash.ts";
import { fishCompletions } from "./fish.ts";
import { zshCompletions } from "./zsh.ts";

/** The shells whose completions are printed, each with the file name that its packages expect. */
export const COMPLETIONS = {
  bash: { file: "panewatch.bash", render: bashCompletions },
  zsh: { file: "_panewatch", render: zshCompletions },
  fish: { file: "panewatch.fish", render: fishCompletions },
} satisfies Readonly<
  Record<string, { file: string; render: (commands: readonly Command[]) => string }>
>;
