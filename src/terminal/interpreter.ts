import { parseScreen } from "../detect/ansi.ts";
import { detect, needsTerminalUse, patternText } from "../detect/detect.ts";
import type { DetectInput, Finding, TerminalUse } from "../detect/finding.ts";
import { foldNative } from "../detect/native.ts";
import type { PatternMatcher } from "../detect/pattern-matcher.ts";
import { NO_PATTERNS, type Patterns } from "../detect/pattern-rules.ts";
import type { Screen } from "../detect/region.ts";
import type { PaneKind } from "../protocol/pane.ts";
import type { Capture, ListedPane, TerminalProvider } from "./provider.ts";

export interface InterpreterDeps {
  provider: Pick<TerminalProvider, "processes" | "terminalUse">;
  matcher: Pick<PatternMatcher, "match">;
}

interface ScreenSubject {
  pane: ListedPane;
  screen: Screen;
  kindOverride: PaneKind | null;
  age: "recent" | "now";
}

export interface Interpretation {
  finding: Finding;
  /** False: the patterns gave no answer in time; the finding was made without them. */
  isComplete: boolean;
  /** False: the kernel was asked, and its machine did not answer. */
  isAnswered: boolean;
  input: DetectInput;
  /** The processes and their use of the terminal as one text, to compare with. */
  processes: string;
}

/** Gathers what detectors need besides the screen and runs them. */
export async function interpret<S extends ScreenSubject>(
  { provider, matcher }: InterpreterDeps,
  subject: S,
  patterns: Patterns,
): Promise<S & Interpretation> {
  const { pane, screen, kindOverride, age } = subject;
  const { title, command, width, height, alternate, cursor, hasEnded } = pane;
  // Processes only help to recognise a program: without them the screen and the command have to do.
  const processes = await argumentsIn(provider, pane, age).catch(() => labelOf(pane));
  const facts: DetectInput = {
    ...{ screen, title, command, processes, width, height, alternate, cursor, hasEnded },
    kindOverride,
  };
  const searched = patternText(facts);
  const match = searched ? await matcher.match(searched.text, patterns) : NO_PATTERNS;
  const isComplete = match !== "failed";
  const hits = isComplete ? match : NO_PATTERNS;
  const use = needsTerminalUse(facts, hits) ? await terminalNow(provider, pane) : null;
  const isAnswered = use !== "failed";
  const input = { ...facts, terminal: isAnswered ? use : null };
  const finding = foldNative(detect(input, hits), pane.native);
  return { ...subject, finding, isComplete, isAnswered, input, processes: keyOf(input) };
}

type ProcessSource = InterpreterDeps["provider"];

/** `Interpretation.processes` as it would be now. @throws Error where they cannot be read */
export async function processesOf(
  source: ProcessSource,
  pane: ListedPane,
  { asksTerminal, age }: { asksTerminal: boolean; age: "recent" | "now" },
): Promise<string> {
  const processes = await argumentsIn(source, pane, age);
  const terminal = asksTerminal ? ((await source.terminalUse?.(pane, age)) ?? null) : null;
  return keyOf({ processes, terminal });
}

/** Whether the program in front surely takes no keys: its terminal is in line mode, and it reads none. */
export async function runsOn(source: ProcessSource, pane: ListedPane): Promise<boolean> {
  const use = await terminalNow(source, pane);
  return use !== null && use !== "failed" && use.lines && use.waiting !== "reads";
}

async function terminalNow(
  source: ProcessSource,
  pane: ListedPane,
): Promise<TerminalUse | null | "failed"> {
  return (await source.terminalUse?.(pane, "now").catch(() => "failed" as const)) ?? null;
}

async function argumentsIn(
  source: ProcessSource,
  pane: ListedPane,
  age: "recent" | "now",
): Promise<DetectInput["processes"]> {
  const processes = await source.processes(pane, age);
  return [...labelOf(pane), ...processes.map(({ args }) => args)];
}

/** The provider's label counts as a process in front of the real ones. */
const labelOf = ({ native }: ListedPane): string[][] => (native?.kind ? [[native.kind]] : []);

const keyOf = ({ processes, terminal }: Pick<DetectInput, "processes" | "terminal">) =>
  JSON.stringify([processes, terminal ?? null]);

/** Unchanged text gives the same objects as before. */
export interface Screens {
  /** For detectors. */
  screen: Screen;
  /** For people: the same object as `screen` where the provider reads both at once. */
  display: Screen;
}

export function screensOf(
  { text, display }: Capture,
  before: (Screens & { capture: Capture }) | null,
): Screens {
  const isText = before?.capture.text === text;
  const isDisplay = before?.capture.display === display;
  if (isText && isDisplay) return { screen: before.screen, display: before.display };
  const screen = parseScreen(text);
  if (display === null) return { screen, display: screen };
  const forPeople = isDisplay ? before.display : parseScreen(display);
  return { screen: withStylesOf(forPeople, screen), display: forPeople };
}

/**
 * Some dialogs mark the focus by colour alone: a screen that was read without colours takes them from
 * the last rows of the display, wherever a row has the same text.
 */
function withStylesOf({ lines: styled }: Screen, { lines }: Screen): Screen {
  const above = styled.length - lines.length;
  return {
    lines: lines.map((line, row) => {
      const same = styled[above + row];
      return same?.text === line.text ? same : line;
    }),
  };
}
