import { invitesText, TEXT_ENTER } from "../answers.ts";
import type { Prompt, PromptOption } from "../finding.ts";
import { CURSORS, type Menu } from "../menu.ts";
import { FIXED_ROWS, isLastBut, liveEnd, readInputLine } from "../live-menu.ts";
import { contextTop, keyedPrompt, unreadPrompt } from "../generic-prompt.ts";
import { readNumberedMenu } from "../numbered-menu.ts";
import { findLast, findLineUp, lastLines, lineAt, ruleAt, type View } from "../region.ts";
import { rule, type Match, type Rule } from "../rule.ts";
import { readUnnumberedMenu } from "../unnumbered-menu.ts";
import { agentMenuRule, findAgentMenu } from "./agent-menu.ts";

/** How far from the end the words of a live dialog and its rows may stand. */
const DIALOG_LINES = 16;
const ACTIVITY_LINES = 10;
const MAX_BELOW_ROWS = 6;

interface AgentTraits {
  owner: string;
  /** Words that only its dialogs have. */
  dialog: RegExp;
  /** Lines that it draws only during a turn. */
  working: RegExp;
  composer: RegExp;
  /** The names of its views stay in the first rows of the screen. */
  hasViews?: boolean;
}

export const AGENT_E: AgentTraits = {
  owner: "agent_e",
  dialog:
    /\brequesting permission for:|\bdo you want to proceed\?|\btab amend\b|\benter to (?:select|confirm)\b/i,
  working: /^\s*[\u2800-\u28ff]+\s+\p{L}+ing\b|\besc to (?:cancel|interrupt)\b/iu,
  composer: /^\s*[>❯](?: |$)|\? for shortcuts/,
};

export const COPILOT: AgentTraits = {
  owner: "copilot",
  hasViews: true,
  dialog:
    /\bconfirm with number keys\b|\benter to (?:select|confirm|submit)\b|\benter (?:accept|open)\b|\bdo you want to (?:run|edit|create|allow|use)\b.*\?|\btell copilot what to do differently\b/i,
  working:
    /\besc (?:again )?to cancel\b|\besc cancel\b|\besc interrupt\b|^\s*◎\s+waiting for background agents|^\s*[○◉◎●]\s+working\b.* esc\b/i,
  composer: /^\s*[>❯](?: |$)|\bshift\+tab\b|\bctrl\+c exit\b/i,
};

export const CURSOR: AgentTraits = {
  owner: "cursor",
  dialog:
    /\bwaiting for approval\b|\brun this command\?|\bwrite to this file\?|\(y\) \(enter\)|\bskip \(esc or n\)|\bkeep \(n\)|\(esc or n(?: or p)?\)/i,
  working:
    /\bctrl\+c to stop\b|^\s*(?:[⬡⬢]|[\u2800-\u28ff]+)\s+\p{L}+ing\b|\b[1-9]\d*\s+background\s+tasks?\b/iu,
  composer: /^\s*(?:│\s*)?→ |\/ commands\b.*@ files/,
};

export const AMP: AgentTraits = {
  owner: "amp",
  dialog:
    /\bwaiting for approval\b|\binvoke tool\b.*\?|\brun this command\?|\ballow (?:editing|creating) file:|\bconfirm tool call\b|\ballow all for (?:this|every) session\b|\bdeny with feedback\b/i,
  // The activity stands in the corner of the input box, where between turns the rule goes on.
  working: /^\s*╰\s+\S|\besc to cancel\b/i,
  composer: /^\s*╰─{3,}/,
};

/**
 * Rules of agents known only from their documentation and from reports. Options are answered with the
 * arrow keys and Enter.
 */
export function otherAgentRules(traits: AgentTraits): readonly Rule[] {
  const { owner } = traits;
  return [
    rule(`${owner}.dialog`, "needs_input", (view) => findDialog(view, traits)),
    agentMenuRule({ owner, inputLine: traits.composer }),
    rule(`${owner}.working.activity`, "working", (view) =>
      findLast(view, ACTIVITY_LINES, traits.working),
    ),
    rule(`${owner}.error`, "error", findError),
    rule(`${owner}.idle`, "idle", (view) => {
      const line = findLast(view, ACTIVITY_LINES, traits.composer);
      return line === null ? null : { line, isUncertain: true };
    }),
  ];
}

/** The mark of a message: a person's, an answer, a tool, a notice. */
const MESSAGE = /^ {0,2}[❯>●✗✘✕✓✔!$]\s+\S/u;
const FAILURE = /^ {0,2}[✗✘✕]\s+(?!.*\b(?:rejected|denied|cancell?ed|aborted|interrupted)\b)/iu;

function findError(view: View): number | null {
  const input = readInputLine(view);
  if (!input) return null;
  const line = findLineUp(view, input.start - 2, view.start, MESSAGE);
  return line !== null && FAILURE.test(lineAt(view, line)) ? line : null;
}

function findDialog(
  view: View,
  { owner, dialog, composer, hasViews }: AgentTraits,
): Match | Prompt | null {
  const near = lastLines(view, DIALOG_LINES);
  const words = near.find((i) => dialog.test(lineAt(view, i)));
  if (words === undefined) return null;
  const framed = findAgentMenu(view, { owner, inputLine: composer, framedOnly: true });
  if (framed) return withRefusal(framed);
  const menu = readMenu(view);
  if (!menu) {
    // An input line below the words means that they are history, unless two rules alone are between.
    const isField = (input: number) => {
      const rules = lastLines(view, DIALOG_LINES, input).filter((i) => i > words);
      return rules.length === 2 && rules.every((i) => ruleAt(view, i) === "solid");
    };
    const isOver = near.some((i) => i > words && composer.test(lineAt(view, i)) && !isField(i));
    return isOver ? null : unreadPrompt(view, aboveField(view, words), `${owner}.dialog`);
  }
  const context = contextTop(view, menu.start);
  const first = Math.max(view.start, view.end - view.height);
  const isCut = hasViews === true && context <= first;
  // The command that it asks about, drawn as a shell's.
  const command = /^\$ \S/.test(lineAt(view, context - 1)) ? context - 1 : context;
  const top = isCut ? first + FIXED_ROWS : command;
  const prompt = withRefusal(keyedPrompt({ view, menu, top, isCut }, `${owner}.dialog`, "nothing"));
  const region = { rule: `${owner}.region.dialog`, start: top, end: view.end };
  return { line: prompt.questionLine, prompt, region };
}

const ESCAPE = { do: "key", key: "Escape" } as const;

/**
 * Copilot's refusal is a field while it has the focus: Enter takes words from there, and does nothing
 * without any. The key in its label refuses at once.
 */
function withRefusal(prompt: Prompt): Prompt {
  const options = prompt.options.map((option): PromptOption => {
    const { label, answer } = option;
    if (!/\(Esc to (?:\S+ )?stop\)$/.test(label)) return option;
    // Words that somebody has begun to type stand in place of the label.
    const isEmpty = invitesText(label) && answer.length > 0;
    const answerWithText = isEmpty ? [...answer.slice(0, -1), ...TEXT_ENTER] : null;
    return { ...option, freeform: true, answer: [ESCAPE], answerWithText };
  });
  return { ...prompt, options };
}

/** A field between two rules right above the hints: the text above it asks. */
function aboveField(view: View, hints: number): number {
  const isRule = (_: string, i: number) => ruleAt(view, i) === "solid";
  const lower = lastLines(view, 1, hints)[0] ?? hints;
  const upper = findLineUp(view, lower - 1, lower - MAX_BELOW_ROWS, isRule);
  return isRule("", lower) ? (upper ?? hints) : hints;
}

function readMenu(view: View): Menu | null {
  const search = { ...liveEnd(view), cursors: CURSORS.unknown };
  const menu = readNumberedMenu(view, search) ?? readUnnumberedMenu(view, search);
  if (!menu || menu.rows.filter((row) => row.selected).length !== 1) return null;
  const isRule = (_: string, i: number) => i < view.end - 1 && ruleAt(view, i) !== null;
  return isLastBut(view, menu.end, MAX_BELOW_ROWS, isRule) ? menu : null;
}
