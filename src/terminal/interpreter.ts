import { detect, isWorthAsking, patternText } from "../detect/detect.ts";
import type { Finding, DetectInput, TerminalUse } from "../detect/finding.ts";
import { foldNative } from "../detect/native.ts";
import { NO_PATTERNS, type PatternFindings, type Patterns } from "../detect/pattern-rules.ts";
import type { Screen } from "../detect/region.ts";
import type { PaneKind } from "../protocol/pane.ts";
import type { ListedPane, TerminalProvider } from "./provider.ts";

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
