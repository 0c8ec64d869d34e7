import type { PaneAgent, PaneKind, PaneStatus } from "../protocol/pane.ts";
import type { RuleTrace } from "../protocol/explain.ts";
import type { Screen } from "./region.ts";

/** What the kernel says of a pane's terminal and of the programs in front of it. */
export interface TerminalUse {
  /**
   * `reads`: one is blocked in a read of the terminal. `polls`: none is, but one waits for events
   * and may take keys. `none`: all sleep, compute, or wait for something else.
   */
  waiting: "reads" | "polls" | "none";
  /** Input is handed over by lines (canonical mode), not by keys. */
  lines: boolean;
  echo: boolean;
}

/** Detection depends on nothing else: equal inputs give equal findings. */
export interface DetectInput {
  screen: Screen;
  title: string;
  /** `pane_current_command`. */
  command: string;
  /** Argument lists of the pane's foreground processes, the leader first; empty when unknown. */
  processes: readonly (readonly string[])[];
  width: number;
  height: number;
  /** The program draws on the alternate screen: there is no scrollback of its own. */
  alternate: boolean;
  /** Cursor row and column of the visible screen, 0-based; null when unknown. */
  cursor: { row: number; column: number; visible: boolean } | null;
  /** Its program has ended, and what it drew stays; absent: it runs. */
  hasEnded?: boolean;
  /** Null or absent where the kernel was not asked, or cannot tell (other systems, other users). */
  terminal?: TerminalUse | null;
  /** A kind that a person set for this target wins over recognition. */
  kindOverride: PaneKind | null;
}

/**
 * One step of an answer. Steps after `verify` are sent only where the pane, read anew, shows the same
 * prompt with this option focused, those after `open` where its field is open too; those after `closed`
 * only where the dialog has gone and no turn runs, since they are for the input line.
 */
export type AnswerStep =
  | { do: "key"; key: string }
  | { do: "type"; text: string }
  /** The person's own words, for a freeform option. */
  | { do: "text" }
  | { do: "verify" }
  | { do: "open" }
  | { do: "closed" };

export interface PromptOption {
  key: string;
  label: string;
  description: string;
  selected: boolean;
  freeform: boolean;
  checked: boolean | null;
  answer: readonly AnswerStep[];
  /** Null where it takes no text. */
  answerWithText: readonly AnswerStep[] | null;
}

export interface Prompt {
  /** Rule id of the parser: `agent_a.permission`, `generic.numbered_menu`… */
  parser: string;
  /** A dialog that we know by its shape: its answer plan holds. False: the contract's generic rule. */
  recognised: boolean;
  question: string;
  evidence: readonly string[];
  options: readonly PromptOption[];
  /** Index in `screen.lines` of the question's line, for the in-server comparison and explain. */
  questionLine: number;
  /** Text of its lines beyond the columns that rules look at, which is answered too; absent: none. */
  clipped?: { texts: readonly string[]; characters: number };
}

/**
 * The content of an agent's input line. `unclear`: a part of it is out of sight, or it is no message
 * (a shell command, a search, keys of vim).
 */
export type ComposerContent =
  { holds: "nothing" } | { holds: "draft"; text: string } | { holds: "unclear" };

export type Composer = ComposerContent & {
  /** Index in `screen.lines` of its first line. */
  line: number;
};

/**
 * Why a state may be over in a moment. `title`: only the title says `needs_input`, which is set after
 * the screen is drawn, and the screen shows an input line. `drawing`: a part of the dialog is missing.
 */
export type Unsettled = "title" | "drawing";

export interface Finding {
  kind: PaneKind;
  kindRule: string;
  kindEvidence: string | null;
  agent: PaneAgent | null;
  status: Exclude<PaneStatus, "offline">;
  rule: string;
  /** Index in `screen.lines` of the line that decided, or null. */
  line: number | null;
  /** The rule by which `line` says that the agent works, where the provider calls it idle. */
  worksBy?: string | null;
  prompt: Prompt | null;
  /** `idle` by the absence of other signs only: `observe` may hold "working" for its 2 s. */
  idleIsCertain: boolean;
  /** A state that may be over in a moment: `observe` believes it when it has lasted. */
  unsettled: Unsettled | null;
  /** Overlays (transcript viewer, help, search): the pane keeps its previous status and prompt. */
  keepsPrevious: boolean;
  region: { rule: string; start: number; end: number };
  ruledOut: readonly RuleTrace[];
}

/** Which lines of a capture the pane shows, and on which of them the cursor stands. */
export interface CursorPlace {
  /** Index of the first line that is at least partly visible; those before it are history. */
  top: number;
  /** `line` may lie behind the last one: below the text. Null when unknown. */
  cursor: { line: number; column: number; visible: boolean } | null;
}
