import { detect, patternText } from "../detect/detect.ts";
import type { Finding, Observation } from "../detect/finding.ts";
import { NO_PATTERNS, type PatternFindings, type Patterns } from "../detect/pattern-rules.ts";
import type { Screen } from "../detect/screen.ts";
import type { PaneKind } from "../protocol/pane.ts";
import type { ListedPane, TerminalProvider } from "./provider.ts";

export interface InterpreterDeps {
  provider: Pick<TerminalProvider, "processes">;
  matcher: {
    match(
      batch: { id: string; text: string }[],
      patterns: Patterns,
    ): Promise<Map<string, PatternFindings | "failed">>;
  };
}

export interface Reading {
  pane: ListedPane;
  screen: Screen;
  kindOverride: PaneKind | null;
}

export interface Interpretation {
  finding: Finding;
  /** False: the patterns gave no answer in time, and the finding is made without them. */
  isComplete: boolean;
}

/** Gathers what the detectors need besides the screen, and asks them. */
export class Interpreter {
  readonly #deps: InterpreterDeps;

  constructor(deps: InterpreterDeps) {
    this.#deps = deps;
  }

  /** One interpretation for each reading, in order; the patterns of all run as one batch. */
  async interpret(readings: readonly Reading[], patterns: Patterns): Promise<Interpretation[]> {
    const observations = await Promise.all(readings.map((reading) => this.#observation(reading)));
    const texts = observations.map((observation) => patternText(observation));
    const batch = texts.flatMap((text, index) =>
      text ? [{ id: String(index), text: text.text }] : [],
    );
    const matches =
      batch.length === 0 ? new Map() : await this.#deps.matcher.match(batch, patterns);
    return observations.map((observation, index) => {
      const found = texts[index] ? (matches.get(String(index)) ?? "failed") : NO_PATTERNS;
      const isComplete = found !== "failed";
      return { finding: detect(observation, isComplete ? found : NO_PATTERNS), isComplete };
    });
  }

  async #observation({ pane, screen, kindOverride }: Reading): Promise<Observation> {
    const { title, command, width, height, alternate, cursor } = pane;
    const processes = await this.#processes(pane);
    return { screen, title, command, processes, width, height, alternate, cursor, kindOverride };
  }

  async #processes(pane: ListedPane): Promise<Observation["processes"]> {
    try {
      return await this.#deps.provider.processes(pane);
    } catch {
      // They only help to recognise a program; the screen and the command still tell.
      return [];
    }
  }
}
