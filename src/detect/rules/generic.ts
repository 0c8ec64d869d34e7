import type { Menu } from "../menu.ts";
import { readPlainList } from "../numbered-menu.ts";
import { enterOption, linePrompt, menuPrompt, yesNoOptions } from "../generic-prompt.ts";
import { lastLines, lineAt, type View } from "../region.ts";
import type { Rule } from "../rule.ts";
import { isReplPrompt, isShellPrompt } from "../shell-prompt.ts";
import { lineOfHit, patternRegion } from "../pattern-region.ts";
import { isLegend, questionRules } from "./questions.ts";

/** Programs that show text or edit it: what they show asks nobody. */
const VIEWERS =
  /^(?:less|more|most|man|bat|batcat|vi|vim|nvim|view|vimdiff|nano|pico|emacs|emacsclient|hx|helix|kak|micro|ne|joe|mcedit|mc|ranger|nnn|lf|yazi|top|htop|btop|atop|iotop|glances|watch|tail|journalctl|tig|lazygit|gitui|k9s|ncdu|tmux|screen)$/;

/** The user's own patterns over the live end of the screen. */
export const patternRules: readonly Rule[] = [
  {
    id: "generic.pattern.prompt",
    about:
      "A configured prompt pattern on the last line, or on a late one that ends open or has a list below it.",
    why: "A person named it a question; higher up, or with an answer behind it, it is history.",
    means: "needs_input",
    find: ({ view, patterns }) => {
      const hit = patterns.prompt;
      const region = hit && patternRegion(view);
      if (!hit || !region) return null;
      const line = lineOfHit(region, hit.index);
      if (isLegend(view, line)) return null;
      const menu = listBelow(view, line);
      if (!menu && !isAsking(view, line)) return null;
      const prompt = menu
        ? menuPrompt({ view, menu, top: null }, "generic.pattern.prompt")
        : linePrompt(view, line, "generic.pattern.prompt", optionsOf(lineAt(view, line)));
      return { line, prompt, note: `pattern ${hit.pattern}` };
    },
  },
  {
    id: "generic.pattern.error",
    about: "One of the configured error patterns on the screen, below the last command line.",
    why: "The program that failed is still in front; an agent only writes about errors.",
    means: "error",
    find: ({ view, patterns, agent }) => {
      const hit = patterns.error;
      const region = hit && patternRegion(view);
      if (!hit || !region || agent) return null;
      const line = lineOfHit(region, hit.index);
      if (line < view.end - Math.max(view.height, 10)) return null;
      return { line, note: `pattern ${hit.pattern}` };
    },
  },
];

/** Programs without rules of their own. */
export const genericRules: readonly Rule[] = [
  {
    id: "generic.shell_prompt",
    about: "An empty shell prompt as the last line.",
    why: "Behind ssh or in a container the shell is not the pane's command.",
    means: "idle",
    find: ({ view }) => lastLineIs(view, isShellPrompt),
  },
  {
    id: "generic.repl",
    about: "The prompt of an interpreter or database client as the last line.",
    why: "It waits for its next line as a shell does; an error above it is over.",
    means: "idle",
    find: ({ view }) => lastLineIs(view, isReplPrompt),
  },
  {
    id: "generic.viewer",
    about: "The program's name: pagers, editors, monitors, file managers.",
    why: "The text that they show may hold any question; only an editor's hit-enter is one.",
    means: "idle",
    find: ({ view, observation }) => {
      const name = observation.command.slice(observation.command.lastIndexOf("/") + 1);
      if (!VIEWERS.test(name)) return null;
      if (/\bPress ENTER or type command\b/.test(lineAt(view, view.end - 1))) return null;
      return { line: null, isUncertain: true };
    },
  },
  {
    id: "generic.pager",
    about: "`:`, `(END)`, `--More--` or a page count as the last line.",
    why: "Programs start a pager of their own and keep their name.",
    means: "idle",
    find: ({ view }) =>
      lastLineIs(view, (line) =>
        /^(?::|\(END\)|--More--.*|lines \d+-\d+.*|Manual page .*|.*\(press h for help or q to quit\))$/.test(
          line.trim(),
        ),
      ),
  },
  ...questionRules,
  ...patternRules,
];

/** The numbered list that the question is about, where it ends the screen. */
function listBelow(view: View, line: number): Menu | null {
  const menu = readPlainList(view, view.end, line + 1);
  if (!menu?.isWhole || menu.end !== view.end) return null;
  const isNext = view.lines.slice(line + 1, menu.start).every((text) => text === "");
  return isNext ? menu : null;
}

function isAsking(view: View, line: number): boolean {
  if (line === view.end - 1) return true;
  return lastLines(view, 4).includes(line) && /[?:\])>…]\s*$/.test(lineAt(view, line));
}

/** What can be offered for a line that a user's pattern named. */
function optionsOf(line: string) {
  const choice = /[([]\s*(y(?:es)?\s*\/\s*n(?:o)?)\s*[)\]]|\? \((y)\b/i.exec(line);
  if (choice) return yesNoOptions(choice[1] ?? choice[2] ?? "");
  if (/\bpress\s+\[?(?:enter|return|any key)\b/i.test(line)) return [enterOption()];
  return [];
}

function lastLineIs(view: View, test: (line: string) => boolean) {
  const line = view.end - 1;
  return line >= view.start && test(lineAt(view, line)) ? { line } : null;
}
