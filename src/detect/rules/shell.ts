import { lineAt } from "../region.ts";
import type { Rule } from "../rule.ts";
import { isShellPrompt } from "../shell-prompt.ts";
import { isInteractiveShell } from "../kind.ts";
import { linePrompt } from "../generic-prompt.ts";
import { isEditing } from "../last-line.ts";
import { frontRules, patternRules, unreadRule } from "./generic.ts";
import { questionRules } from "./questions.ts";

const EDITOR_ASKS =
  /^(?:Display all \d+ possibilities\? \(y or n\)|--More--|zsh: .*\?(?: \(.*\)| \[\w+\])?\??)$/;

/** A shell in front: at its prompt, in a builtin that reads, or running a script of its own. */
export const shellRules: readonly Rule[] = [
  {
    id: "shell.prompt",
    means: "idle",
    find: ({ view }) => {
      const line = view.end - 1;
      return line >= view.start && isShellPrompt(lineAt(view, line)) ? { line } : null;
    },
  },
  {
    id: "shell.completion",
    means: "needs_input",
    find: ({ view, input }) => {
      const line = view.end - 1;
      if (!isEditing(input) || !EDITOR_ASKS.test(lineAt(view, line))) return null;
      return { line, prompt: linePrompt(view, line, "shell.completion", []) };
    },
  },
  {
    id: "shell.editing",
    means: "idle",
    find: ({ input }) => (isEditing(input) ? { line: null } : null),
  },
  ...frontRules,
  ...questionRules,
  {
    id: "shell.foreground",
    means: "idle",
    find: ({ input: { processes } }) =>
      processes.length > 0 && processes.every(isInteractiveShell) ? { line: null } : null,
  },
  ...patternRules,
  unreadRule,
];
