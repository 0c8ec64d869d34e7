import { parseScreen } from "../detect/ansi.ts";
import type { Finding, Prompt } from "../detect/finding.ts";
import type { Patterns } from "../detect/pattern-rules.ts";
import type { Screen } from "../detect/screen.ts";
import type { PaneOverride } from "../protocol/config.ts";
import type { PaneKind, PaneState } from "../protocol/pane.ts";
import { mayHaveChanged, type LastCapture } from "./capture-plan.ts";
import type { Interpreter } from "./interpreter.ts";
import { observe, type PaneRecord } from "./observe.ts";
import type { Capture, ListedPane, TerminalProvider } from "./provider.ts";

export interface FleetDeps {
  provider: Pick<TerminalProvider, "info" | "capabilities" | "capture">;
  interpreter: Interpreter;
  /** The name of a pane that no override names. */
  nameOf: (pane: ListedPane, facts: { kind: PaneKind; lines: readonly string[] }) => string;
}

/** What is the same for all panes of one pass or look. */
export interface Round {
  /** Epoch seconds before anything was captured. */
  at: number;
  captureLines: number;
  patterns: Patterns;
  /** Differs when the patterns do. */
  patternsKey: string;
  /** By target. */
  overrides: ReadonlyMap<string, PaneOverride>;
}

/** A fresh capture of one pane, interpreted. `prompt` is what stands there now, overlay or not. */
export interface Inspection {
  pane: ListedPane;
  state: PaneState;
  prompt: Prompt | null;
  screen: Screen;
  finding: Finding;
  /** What the screen shows may be over in a moment. */
  isUnsettled: boolean;
}

/** One pane from pass to pass. */
interface Track {
  record: PaneRecord;
  last: LastCapture;
  /** The capture behind the record's screen. */
  text: string;
  /** What else the finding was made from; empty when it has to be made again. */
  basis: string;
  interacted: number;
  /** False: every capture so far has failed. */
  isSeen: boolean;
}

interface News {
  pane: ListedPane;
  capture: Capture;
  hasFailed: boolean;
}

/** Panes that are interpreted in one go. */
const SLICE = 20;
const SCREEN_ONLY = 0;
const NOTHING: Capture = { text: "" };

/** What is known of every listed pane, by identity: same id with another process is another pane. */
export class Fleet {
  readonly #deps: FleetDeps;
  #tracks = new Map<string, Track>();

  constructor(deps: FleetDeps) {
    this.#deps = deps;
  }

  recordOf(pane: ListedPane): PaneRecord | null {
    return this.#tracks.get(pane.identity)?.record ?? null;
  }

  isDue(pane: ListedPane, round: Round): boolean {
    const track = this.#tracks.get(pane.identity);
    if (!track || track.basis !== basisOf(pane, round)) return true;
    return mayHaveChanged(pane, track.last, round.captureLines);
  }

  /** An action reached this pane. */
  stamp(pane: ListedPane, at: number): void {
    const track = this.#tracks.get(pane.identity);
    if (track) track.interacted = at;
  }

  /** Forgets all other panes. */
  keepOnly(panes: readonly ListedPane[]): void {
    const kept = new Map<string, Track>();
    for (const { identity } of panes) {
      const track = this.#tracks.get(identity);
      if (track) kept.set(identity, track);
    }
    this.#tracks = kept;
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
    const gone = new Set<string>();
    if (panes.length === 0) return gone;
    const captures = await this.#deps.provider.capture(panes, round.captureLines, signal);
    const news: News[] = [];
    for (const pane of panes) {
      const capture = captures.get(pane.id);
      const track = this.#tracks.get(pane.identity);
      if (!capture) gone.add(pane.id);
      else if (track && (capture instanceof Error || isKnown(track, pane, capture, round))) {
        track.last = { ...lastCapture(pane, round), hasFailed: capture instanceof Error };
        this.settle(pane, round);
      } else {
        const hasFailed = capture instanceof Error;
        news.push({ pane, capture: hasFailed ? NOTHING : capture, hasFailed });
      }
    }
    for (let start = 0; start < news.length; start += SLICE) {
      // A large fleet that prints takes a while to read: let requests in between.
      if (start > 0) await nextTick();
      await this.#take(news.slice(start, start + SLICE), round);
    }
    return gone;
  }

  /** Interprets captures and remembers them. */
  async #take(news: readonly News[], round: Round): Promise<void> {
    const readings = news.map(({ pane, capture }) => ({
      pane,
      screen: this.#screenOf(pane, capture),
      kindOverride: round.overrides.get(pane.target)?.kind ?? null,
    }));
    const interpretations = await this.#deps.interpreter.interpret(readings, round.patterns);
    news.forEach(({ pane, capture, hasFailed }, index) => {
      const [reading, interpretation] = [readings[index], interpretations[index]];
      if (!reading || !interpretation) return;
      const track = this.#tracks.get(pane.identity);
      // What was never captured has no text to differ from.
      const before = track?.isSeen ? track.record : null;
      const { isComplete } = interpretation;
      const finding = isComplete || !before ? interpretation.finding : before.finding;
      const interacted = track?.interacted ?? 0;
      const sight = { pane, screen: reading.screen, finding, interacted, isFresh: !hasFailed };
      const record = this.#observe(sight, before, round);
      this.#tracks.set(pane.identity, {
        record,
        last: { ...lastCapture(pane, round), hasFailed },
        text: capture.text,
        // A finding without the patterns is made again, though the text stays the same.
        basis: isComplete ? basisOf(pane, round) : "",
        interacted,
        isSeen: !hasFailed,
      });
    });
  }

  /**
   * Those of these panes whose visible screen is not the end of their last capture. Costs a
   * fraction of reading them: nothing of the history is captured.
   */
  async findStale(
    panes: readonly ListedPane[],
    round: Round,
    signal: AbortSignal,
  ): Promise<ListedPane[]> {
    if (panes.length === 0) return [];
    const screens = await this.#deps.provider.capture(panes, SCREEN_ONLY, signal);
    return panes.filter((pane) => {
      const screen = screens.get(pane.id);
      const track = this.#tracks.get(pane.identity);
      if (!track || !screen || screen instanceof Error) return true;
      if (!track.text.endsWith(screen.text)) return true;
      track.last = { ...lastCapture(pane, round), hasFailed: false };
      return false;
    });
  }

  /** Nothing was captured, but time has passed and the listing may say more. */
  settle(pane: ListedPane, round: Round): void {
    const track = this.#tracks.get(pane.identity);
    if (!track) return;
    const { record, interacted, last } = track;
    const { screen, finding } = record;
    const sight = { pane, screen, finding, interacted, isFresh: !last.hasFailed };
    track.record = this.#observe(sight, record, round);
  }

  /** Interprets a capture without remembering it. */
  async inspect(pane: ListedPane, { text }: Capture, round: Round): Promise<Inspection> {
    const screen = parseScreen(text);
    const kindOverride = round.overrides.get(pane.target)?.kind ?? null;
    const reading = { pane, screen, kindOverride };
    const [interpretation] = await this.#deps.interpreter.interpret([reading], round.patterns);
    if (!interpretation) throw new Error(`${pane.id} was not interpreted`);
    const { finding } = interpretation;
    const track = this.#tracks.get(pane.identity);
    const interacted = track?.interacted ?? 0;
    const sight = { pane, screen, finding, interacted, isFresh: true };
    const { state, isUnsettled } = this.#observe(sight, track?.record ?? null, round);
    return { pane, state, prompt: finding.prompt, screen, finding, isUnsettled };
  }

  #screenOf(pane: ListedPane, { text }: Capture): Screen {
    const track = this.#tracks.get(pane.identity);
    return track?.text === text ? track.record.screen : parseScreen(text);
  }

  #observe(
    sight: {
      pane: ListedPane;
      screen: Screen;
      finding: Finding;
      interacted: number;
      isFresh: boolean;
    },
    before: PaneRecord | null,
    { at, captureLines, overrides }: Round,
  ): PaneRecord {
    const { provider, nameOf } = this.#deps;
    const override = overrides.get(sight.pane.target) ?? null;
    return observe(
      {
        ...sight,
        at,
        captureLines,
        override,
        nameOf: (facts) => override?.name || nameOf(sight.pane, facts),
        provider: provider.info.id,
        capabilities: provider.capabilities,
      },
      before,
    );
  }
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function isKnown(track: Track, pane: ListedPane, capture: Capture, round: Round): boolean {
  return track.text === capture.text && track.basis === basisOf(pane, round);
}

function lastCapture(
  pane: ListedPane,
  { at, captureLines }: Round,
): Omit<LastCapture, "hasFailed"> {
  return { at, mark: pane.mark, captureLines };
}

function basisOf(pane: ListedPane, { overrides, patternsKey }: Round): string {
  const kind = overrides.get(pane.target)?.kind ?? "";
  return `${pane.mark}\0${kind}\0${patternsKey}`;
}
