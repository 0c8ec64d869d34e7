import { parseScreen } from "../detect/ansi.ts";
import { detectComposer } from "../detect/composer.ts";
import { detect, isWorthAsking, patternText } from "../detect/detect.ts";
import type { DetectInput, Finding, TerminalUse } from "../detect/finding.ts";
import { foldNative } from "../detect/native.ts";
import { NO_PATTERNS, type PatternFindings, type Patterns } from "../detect/pattern-rules.ts";
import type { Screen } from "../detect/region.ts";
import type { PaneKind } from "../protocol/pane.ts";
import type { Capture, ListedPane, TerminalProvider } from "./provider.ts";
import type { Observation, PaneRecord, PassContext } from "./record.ts";
import { NO_ATTENTION } from "./status.ts";

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

interface Interpretation {
  finding: Finding;
  /** False: the patterns gave no answer in time, and the finding is made without them. */
  isComplete: boolean;
  input: DetectInput;
  /** What it was told of the processes and of their terminal: other text, other finding. */
  processes: string;
}

/** Gathers what the detectors need besides the screen, and asks them. */
export class Interpreter {
  readonly #deps: InterpreterDeps;

  constructor(deps: InterpreterDeps) {
    this.#deps = deps;
  }

  /** Every subject with its interpretation, in order; the patterns of all run as one batch. */
  async interpret<S extends ScreenSubject>(
    subjects: readonly S[],
    patterns: Patterns,
  ): Promise<(S & Interpretation)[]> {
    const read = await Promise.all(
      subjects.map(async (subject, index) => {
        const input = await this.#input(subject);
        return { subject, input, id: String(index), text: patternText(input)?.text ?? null };
      }),
    );
    const batch = read.flatMap(({ id, text }) => (text === null ? [] : [{ id, text }]));
    const matches =
      batch.length === 0 ? new Map() : await this.#deps.matcher.match(batch, patterns);
    return read.map(({ subject, input, id, text }) => {
      const found = text === null ? NO_PATTERNS : (matches.get(id) ?? "failed");
      const isComplete = found !== "failed";
      const seen = detect(input, isComplete ? found : NO_PATTERNS);
      const finding = foldNative(seen, subject.pane.native);
      return { ...subject, finding, isComplete, input, processes: keyOf(input) };
    });
  }

  /** What `interpret` would be told of the processes now, and of their terminal where it asks. */
  async processesOf(pane: ListedPane, asksTerminal: boolean): Promise<string> {
    const processes = await this.#processes(pane, "now");
    return keyOf({ processes, terminal: asksTerminal ? await this.#terminal(pane) : null });
  }

  /** Whether the program in front is known to do without keys: it takes lines, and reads none now. */
  async runsOn(pane: ListedPane): Promise<boolean> {
    const use = await this.#terminal(pane);
    return use !== null && use.lines && use.waiting !== "reads";
  }

  async #input({ pane, screen, kindOverride, age }: ScreenSubject): Promise<DetectInput> {
    const { title, command, width, height, alternate, cursor } = pane;
    const processes = await this.#processes(pane, age);
    const facts = { title, command, processes, width, height, alternate, cursor, kindOverride };
    const o: DetectInput = { screen, ...facts };
    return isWorthAsking(o) ? { ...o, terminal: await this.#terminal(pane) } : o;
  }

  async #terminal(pane: ListedPane): Promise<TerminalUse | null> {
    return (await this.#deps.provider.terminalUse?.(pane)) ?? null;
  }

  async #processes(pane: ListedPane, age: "recent" | "now"): Promise<DetectInput["processes"]> {
    // The provider's label names a program as a process does, and before it.
    const label = pane.native?.kind ? [[pane.native.kind]] : [];
    try {
      const processes = await this.#deps.provider.processes(pane, age);
      return [...label, ...processes.map(({ args }) => args)];
    } catch {
      // They only help to recognise a program; the screen and the command still tell.
      return label;
    }
  }
}

const keyOf = ({ processes, terminal }: Pick<DetectInput, "processes" | "terminal">) =>
  JSON.stringify([processes, terminal ?? null]);

/** What a capture was found to say. */
type Said = Screens & Interpretation;

/** What was read of one pane in a pass; an Error where its capture failed. */
export interface Read {
  capture: Capture | Error;
  /** Null: it says nothing new. */
  said: Said | null;
}

/** Of a pane that was never read. */
export const NOTHING: Capture = { text: "", display: null };
/**
 * Who runs in a pane may show later than what it draws: a script is named first, then the agent that
 * it starts. Within this time after a change of the screen the processes are asked for again.
 */
const LATE_PROCESSES_SECONDS = 3;
/** What a program does with what was sent to it, it shows within this time. */
const ANSWERS_SECONDS = 2;

export type Unobserved = Omit<PaneRecord, keyof Observation>;

/** A record of what was read anew, with what was sent to its pane before. */
export function reread(
  pane: ListedPane,
  read: Capture | Error,
  { screen, display, input, processes, isComplete, finding: found }: Said,
  before: PaneRecord | null,
  { monotonic: at, captureLines, overrides, patternsKey }: PassContext,
): Unobserved {
  const isFresh = !(read instanceof Error);
  const capture = isFresh ? read : NOTHING;
  // A prompt that is found without the patterns is there, whatever they would have found.
  const isBelieved = isComplete || found.status === "needs_input" || !before?.isSeen;
  const finding = isBelieved ? found : before.finding;
  const isGuarded = pane.capabilities.input === "guarded_v1";
  const isLate = before !== null && isSameCapture(before.capture, capture);
  const { interacted = 0, sentAt = null, runsOn = false } = before ?? {};
  const { seenAt, actedAt } = before ?? NO_ATTENTION;
  return {
    ...{ pane, at, captureLines, capture, screen, display, finding, processes, patternsKey },
    ...{ interacted, sentAt, runsOn, seenAt, actedAt, isFresh, isSeen: isFresh },
    composer: isGuarded ? detectComposer(input, finding) : null,
    override: overrides.get(pane.target),
    // A finding without the patterns is made again, though the text stays the same.
    basis: isComplete ? basisOf(pane, overrides, patternsKey) : "",
    asksTerminal: input.terminal != null,
    processesUntil: isLate ? before.processesUntil : at + LATE_PROCESSES_SECONDS,
    isAtRest: false,
  };
}

/** Null once a capture from long enough after it was read; one that fails tells nothing. */
export function sentBefore({ sentAt, runsOn, at, isFresh }: Unobserved): number | null {
  if (sentAt === null) return null;
  return !isFresh || runsOn || at < sentAt + ANSWERS_SECONDS ? sentAt : null;
}

export function isSameCapture(a: Capture, b: Capture): boolean {
  return a.text === b.text && a.display === b.display;
}

/** Whether the finding would be made from the same as before, the text and the processes aside. */
export function hasSameBasis(
  { pane: before, override, patternsKey: key, basis }: PaneRecord,
  pane: ListedPane,
  { overrides, patternsKey }: PassContext,
): boolean {
  // A quiet pane is the same object from listing to listing: nothing is joined again.
  if (before === pane && key === patternsKey && override === overrides.get(pane.target))
    return basis !== "";
  return basis === basisOf(pane, overrides, patternsKey);
}

/** What a finding is made from besides the text and the processes. */
function basisOf(
  pane: ListedPane,
  overrides: PassContext["overrides"],
  patternsKey: string,
): string {
  const { title, command, width, height, alternate, cursor, native, revision } = pane;
  const kind = overrides.get(pane.target)?.kind ?? "";
  const place = cursor ? `${cursor.row},${cursor.column},${cursor.visible}` : "";
  const said = native ? JSON.stringify(native) : "";
  const facts = [title, command, width, height, alternate, place, said, revision];
  return [...facts, kind, patternsKey].join("\0");
}

export interface Screens {
  /** What detectors read. */
  screen: Screen;
  /** What people are shown: the same object where the provider reads both at once. */
  display: Screen;
}

/** The screens of a capture; one that was parsed before is the same object. */
export function screensOf(
  { text, display }: Capture,
  before: (Screens & { capture: Capture }) | undefined,
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
