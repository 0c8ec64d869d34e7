import { lineAt } from "../region.ts";
import type { Rule } from "../rule.ts";
import { isShellPrompt } from "../shell-prompt.ts";
import { isInteractiveShell } from "../kind.ts";
import { patternRules } from "./generic.ts";
import { questionRules } from "./questions.ts";

/** A shell in front: at its prompt, in a builtin that reads, or running a script of its own. */
export const shellRules: readonly Rule[] = [
  {
    id: "shell.prompt",
    about: "An empty shell prompt as the last line.",
    why: "The last command has ended, and with it whatever it asked or reported.",
    means: "idle",
    find: ({ view }) => {
      const line = view.end - 1;
      return line >= view.start && isShellPrompt(lineAt(view, line)) ? { line } : null;
    },
  },
  ...questionRules,
  {
    id: "shell.foreground",
    about: "The foreground process: a shell without a script.",
    why: "Then it stands at its prompt, however that looks and whatever is typed there.",
    means: "idle",
    find: ({ observation: { processes } }) =>
      processes.length > 0 && processes.every(isInteractiveShell) ? { line: null } : null,
  },
  ...patternRules,
];
