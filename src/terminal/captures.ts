import { detectComposer } from "../detect/composer.ts";
import type { Interpreter, Subject } from "./interpreter.ts";
import type { Capture, ListedPane, TerminalProvider } from "./provider.ts";
import type { Reading } from "./reading.ts";
import type { Round } from "./round.ts";
import type { Captured, Tracks } from "./tracks.ts";

export interface CapturesDeps {
  provider: Pick<TerminalProvider, "capture" | "unchanged">;
  interpreter: Interpreter;
  tracks: Tracks;
}

/** Panes that are interpreted in one go. */
const SLICE = 20;

/** Whom to capture, and what becomes of it: interpreted where it says anything new, and remembered. */
export class Captures {
  readonly #deps: CapturesDeps;

  constructor(deps: CapturesDeps) {
    this.#deps = deps;
  }

  /**
   * Brings every pane up to date with as few captures as the provider's knowledge allows; `forced`
   * ids are captured in any case.
   * @returns the ids of those that are gone
   */
  async update(
    panes: readonly ListedPane[],
    forced: ReadonlySet<string>,
    round: Round,
    signal: AbortSignal,
  ): Promise<Set<string>> {
    const { provider, tracks, interpreter } = this.#deps;
    for (const pane of panes)
      if (tracks.isAwaited(pane)) tracks.markRunning(pane, await interpreter.runsOn(pane));
    const known = panes.flatMap((pane) => {
      const last = forced.has(pane.id) ? null : tracks.lastCapture(pane, round);
      return last ? [last] : [];
    });
    const unchanged = await provider.unchanged(known, round.monotonic, signal);
    const quiet = known.map(({ pane }) => pane).filter(({ id }) => unchanged.has(id));
    const held = new Set(quiet);
    const due = panes.filter((pane) => !held.has(pane));
    const gone = await this.read(due, round, signal);
    for (const pane of quiet) tracks.hold(pane, round);
    await this.#interpretLate(quiet, round);
    return gone;
  }

  /**
   * Captures panes and takes in what they show.
   * @returns the ids of those that are gone
   */
  async read(
    panes: readonly ListedPane[],
    round: Round,
    signal: AbortSignal,
  ): Promise<Set<string>> {
    if (panes.length === 0) return new Set();
    const captures = await this.#deps.provider.capture(panes, round.captureLines, signal);
    const captured = panes.flatMap((pane) => {
      const capture = captures.get(pane.id);
      return capture ? [{ pane, capture }] : [];
    });
    await this.take(captured, round);
    return new Set(panes.map(({ id }) => id).filter((id) => !captures.has(id)));
  }

  /** Takes in what was captured. */
  async take(captured: readonly Captured[], round: Round): Promise<void> {
    const { tracks } = this.#deps;
    await this.#interpretAll(
      captured.filter((each) => !tracks.takeKnown(each, round)),
      round,
    );
  }

  /** Interprets a capture without remembering it. */
  async reading(pane: ListedPane, capture: Capture, round: Round): Promise<Reading> {
    const { interpreter, tracks } = this.#deps;
    const screens = tracks.screensOf({ pane, capture });
    const { screen } = screens;
    const subjects = [this.#subject(pane, screen, round)];
    const [interpretation] = await interpreter.interpret(subjects, round.patterns);
    if (!interpretation) throw new Error(`${pane.id} was not interpreted`);
    const { finding, input } = interpretation;
    const composer = detectComposer(input, finding);
    const record = tracks.preview({ pane, ...screens, finding, composer }, round);
    const { state, isUnsettled } = record;
    const lineAge = round.monotonic - record.decidingSince;
    const { prompt } = finding;
    return { pane, state, prompt, composer, screen, finding, isUnsettled, lineAge };
  }

  /** What the last pass has read of a pane; null where its capture would not do any more. */
  recalled(pane: ListedPane, round: Round): Reading | null {
    const { tracks } = this.#deps;
    const last = tracks.lastCapture(pane, round);
    const record = tracks.recordOf(pane);
    if (!last || !record) return null;
    const { state, screen, composer, finding, isUnsettled, decidingSince } = record;
    const lineAge = round.monotonic - decidingSince;
    const { prompt } = finding;
    const recalled = last.text;
    return { pane, state, prompt, composer, screen, finding, isUnsettled, lineAge, recalled };
  }

  /** Interprets the screens anew behind which other processes have come up since they were read. */
  async #interpretLate(quiet: readonly ListedPane[], round: Round): Promise<void> {
    const { interpreter, tracks } = this.#deps;
    const late: Captured[] = [];
    for (const pane of quiet) {
      const before = tracks.mayHaveOthers(pane, round);
      if (!before) continue;
      const { capture, processes, asksTerminal } = before;
      if ((await interpreter.processesOf(pane, asksTerminal)) === processes) continue;
      late.push({ pane, capture });
    }
    await this.#interpretAll(late, round);
  }

  async #interpretAll(captured: readonly Captured[], round: Round): Promise<void> {
    for (let start = 0; start < captured.length; start += SLICE) {
      // A large fleet that prints takes a while to read: let requests in between.
      if (start > 0) await nextTick();
      await this.#interpretSlice(captured.slice(start, start + SLICE), round);
    }
  }

  async #interpretSlice(captured: readonly Captured[], round: Round): Promise<void> {
    const { interpreter, tracks } = this.#deps;
    const read = captured.map((each) => ({ each, screens: tracks.screensOf(each) }));
    const subjects = read.map(({ each, screens }) =>
      this.#subject(each.pane, screens.screen, round),
    );
    const found = await interpreter.interpret(subjects, round.patterns);
    read.forEach(({ each, screens }, index) => {
      const interpretation = found[index];
      if (interpretation) tracks.take(each, screens, interpretation, round);
    });
  }

  #subject(pane: ListedPane, screen: Subject["screen"], round: Round): Subject {
    const kindOverride = round.overrides.get(pane.target)?.kind ?? null;
    return { pane, screen, kindOverride, age: this.#deps.tracks.ageOfProcesses(pane) };
  }
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
