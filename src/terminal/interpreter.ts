import { parseScreen } from "../detect/ansi.ts";
import { detect, isWorthAsking, patternText } from "../detect/detect.ts";
import type { DetectInput, Finding, TerminalUse } from "../detect/finding.ts";
import { foldNative } from "../detect/native.ts";
import { NO_PATTERNS, type PatternFindings, type Patterns } from "../detect/pattern-rules.ts";
import type { Screen } from "../detect/region.ts";
import type { PaneKind } from "../protocol/pane.ts";
import type { Capture, ListedPane, TerminalProvider } from "./provider.ts";

export interface InterpreterDeps {
  provider: Pick<TerminalProvider, "processes" | "terminalUse">;
  matcher: {
    match(
      batch: { id: string; text: string }[],
      patterns: Patterns,
    ): Promise<Map<string, PatternFindings | "failed">>;
  };
}

interface ScreenSubject {
  pane: ListedPane;
  screen: Screen;
  kindOverride: PaneKind | null;
  /** How old what is known of its processes may be. */
  age: "recent" | "now";
}

export interface Interpretation {
  finding: Finding;
  /** False: the patterns gave no answer in time, and the finding is made without them. */
  isComplete: boolean;
  input: DetectInput;
  /** What it was told of the processes and of their terminal: other text, other finding. */
  processes: string;
}

/**
 * Gathers what the detectors need besides the screen, and asks them: every subject with its
 * interpretation, in order. The patterns of all run as one batch.
 */
export async function interpret<S extends ScreenSubject>(
  { provider, matcher }: InterpreterDeps,
  subjects: readonly S[],
  patterns: Patterns,
): Promise<(S & Interpretation)[]> {
  const read = await Promise.all(subjects.map((subject) => gather(provider, subject)));
  const batch = read.flatMap(({ text }, at) => (text === null ? [] : [{ id: String(at), text }]));
  const matches = batch.length === 0 ? new Map() : await matcher.match(batch, patterns);
  return Promise.all(
    read.map(async ({ subject, seen, text }, at) => {
      const found = text === null ? NO_PATTERNS : (matches.get(String(at)) ?? "failed");
      const isComplete = found !== "failed";
      const hits = isComplete ? found : NO_PATTERNS;
      const asks = isWorthAsking(seen, hits);
      const input = asks ? { ...seen, terminal: await terminalOf(provider, subject.pane) } : seen;
      const finding = foldNative(detect(input, hits), subject.pane.native);
      return { ...subject, finding, isComplete, input, processes: keyOf(input) };
    }),
  );
}

type ProcessSource = InterpreterDeps["provider"];

/** What `interpret` would be told of the processes now, and of their terminal where it asks. */
export async function processesOf(
  source: ProcessSource,
  pane: ListedPane,
  asksTerminal: boolean,
): Promise<string> {
  const processes = await argumentsIn(source, pane, "now");
  return keyOf({ processes, terminal: asksTerminal ? await terminalOf(source, pane) : null });
}

/** Whether the program in front is known to do without keys: it takes lines, and reads none now. */
export async function runsOn(source: ProcessSource, pane: ListedPane): Promise<boolean> {
  const use = await terminalOf(source, pane);
  return use !== null && use.lines && use.waiting !== "reads";
}

/** What is seen of a pane without its terminal, and the text for the patterns. */
async function gather<S extends ScreenSubject>(source: ProcessSource, subject: S) {
  const { pane, screen, kindOverride, age } = subject;
  const { title, command, width, height, alternate, cursor, hasEnded } = pane;
  const processes = await argumentsIn(source, pane, age);
  const facts = { title, command, processes, width, height, alternate, cursor, hasEnded };
  const seen: DetectInput = { screen, ...facts, kindOverride };
  return { subject, seen, text: patternText(seen)?.text ?? null };
}

async function terminalOf(source: ProcessSource, pane: ListedPane): Promise<TerminalUse | null> {
  return (await source.terminalUse?.(pane)) ?? null;
}

async function argumentsIn(
  source: ProcessSource,
  pane: ListedPane,
  age: "recent" | "now",
): Promise<DetectInput["processes"]> {
  // The provider's label names a program as a process does, and before it.
  const label = pane.native?.kind ? [[pane.native.kind]] : [];
  // They only help to recognise a program; the screen and the command still tell.
  const processes = await source.processes(pane, age).catch(() => []);
  return [...label, ...processes.map(({ args }) => args)];
}

const keyOf = ({ processes, terminal }: Pick<DetectInput, "processes" | "terminal">) =>
  JSON.stringify([processes, terminal ?? null]);

export interface Screens {
  /** What detectors read. */
  screen: Screen;
  /** What people are shown: the same object where the provider reads both at once. */
  display: Screen;
}

/** The screens of a capture; one that was parsed before is the same object. */
export function screensOf(
  { text, display }: Capture,
  before: (Screens & { capture: Capture }) | null,
): Screens {
  const isText = before?.capture.text === text;
  const isDisplay = before?.capture.display === display;
  if (isText && isDisplay) return { screen: before.screen, display: before.display };
  const screen = parseScreen(text);
  if (display === null) return { screen, display: screen };
  const shown = isDisplay ? before.display : parseScreen(display);
  return { screen: withStylesOf(shown, screen), display: shown };
}

/**
 * Focus is drawn by colour alone in some dialogs. A buffer that was read without colours has them
 * where the last rows of the display are its own, row by row; what they say stays plain.
 */
function withStylesOf({ lines: shown }: Screen, { lines }: Screen): Screen {
  const above = shown.length - lines.length;
  return {
    lines: lines.map((line, row) => {
      const same = shown[above + row];
      return same?.text === line.text ? same : line;
    }),
  };
}
