import { parseScreen } from "../detect/ansi.ts";
import { detectComposer } from "../detect/composer.ts";
import type { Composer, Finding } from "../detect/finding.ts";
import type { Screen } from "../detect/screen.ts";
import type { PaneKind } from "../protocol/pane.ts";
import type { Interpretation, Interpreter, Subject } from "./interpreter.ts";
import { observe, type PaneRecord } from "./observe.ts";
import type { Capture, CapturedPane, ListedPane, TerminalProvider } from "./provider.ts";
import type { Reading } from "./reading.ts";
import {
  ageFor,
  basisOf,
  hasSameBasis,
  isKnown,
  isSameCapture,
  type Round,
  type Track,
} from "./track.ts";

export interface FleetDeps {
  provider: Pick<TerminalProvider, "info" | "capture" | "unchanged">;
  interpreter: Interpreter;
  /** The name of a pane that no override names. */
  nameOf: (pane: ListedPane, facts: { kind: PaneKind; lines: readonly string[] }) => string;
}

interface News {
  pane: ListedPane;
  capture: Capture;
  hasFailed: boolean;
}

interface Sight {
  pane: ListedPane;
  screen: Screen;
  display: Screen;
  finding: Finding;
  composer: Composer | null;
  interacted: number;
  isFresh: boolean;
}

/** Panes that are interpreted in one go. */
const SLICE = 20;
const NOTHING: Capture = { text: "", display: null };
/**
 * Who runs in a pane may show later than what it draws: a script is named first, then the agent that
 * it starts. Within this time after a change of the screen the processes are asked for again.
 */
const LATE_PROCESSES_SECONDS = 3;

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

  /** An action reached this pane. */
  stamp(pane: ListedPane, at: number): void {
    const track = this.#tracks.get(pane.identity);
    if (track) Object.assign(track, { interacted: at, isAtRest: false });
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
    const candidates = panes.flatMap((pane) => this.#candidate(pane, forced, round));
    const unchanged = await this.#deps.provider.unchanged(candidates, round.monotonic, signal);
    const quiet: ListedPane[] = [];
    const due: ListedPane[] = [];
    const known = new Set(candidates.map(({ pane }) => pane));
    for (const pane of panes) (known.has(pane) && unchanged.has(pane.id) ? quiet : due).push(pane);
    const gone = await this.read(due, round, signal);
    for (const pane of quiet) this.#hold(pane, round);
    await this.#recogniseLate(quiet, round);
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
    const gone = new Set<string>();
    if (panes.length === 0) return gone;
    const captures = await this.#deps.provider.capture(panes, round.captureLines, signal);
    const news: News[] = [];
    for (const pane of panes) {
      const capture = captures.get(pane.id);
      if (!capture) gone.add(pane.id);
      else news.push(...this.#newsOf(pane, capture, round));
    }
    await this.#takeAll(news, round);
    return gone;
  }

  /** Takes in one pane that was captured by itself. */
  async take(pane: ListedPane, capture: Capture, round: Round): Promise<void> {
    await this.#takeAll(this.#newsOf(pane, capture, round), round);
  }

  /** Interprets a capture without remembering it. */
  async reading(pane: ListedPane, capture: Capture, round: Round): Promise<Reading> {
    const track = this.#tracks.get(pane.identity);
    const { screen, display } = this.#screensOf(pane, capture);
    const kindOverride = round.overrides.get(pane.target)?.kind ?? null;
    const subject: Subject = { pane, screen, kindOverride, age: ageFor(track, pane) };
    const [interpretation] = await this.#deps.interpreter.interpret([subject], round.patterns);
    if (!interpretation) throw new Error(`${pane.id} was not interpreted`);
    const { finding, observation } = interpretation;
    const composer = detectComposer(observation, finding);
    const interacted = track?.interacted ?? 0;
    const sight = { pane, screen, display, finding, composer, interacted, isFresh: true };
    const record = this.#observe(sight, track?.record ?? null, round);
    const { state, isUnsettled } = record;
    const lineAge = round.monotonic - record.decidingSince;
    const { prompt } = finding;
    return { pane, state, prompt, composer, screen, finding, isUnsettled, lineAge };
  }

  #candidate(pane: ListedPane, forced: ReadonlySet<string>, round: Round): CapturedPane[] {
    const track = this.#tracks.get(pane.identity);
    if (!track || track.hasFailed || forced.has(pane.id)) return [];
    if (track.captureLines !== round.captureLines || !hasSameBasis(track, pane, round)) return [];
    const { captured, at, capture } = track;
    return [{ pane, captured, at, text: capture.text }];
  }

  /** The last capture holds, but time has passed and the listing may say more. */
  #hold(pane: ListedPane, round: Round): void {
    const track = this.#tracks.get(pane.identity);
    if (!track) return;
    const isSamePane = track.captured === pane;
    const override = round.overrides.get(pane.target);
    const isSame = isSamePane && track.override === override;
    Object.assign(track, { captured: pane, at: round.monotonic, override });
    if (track.isAtRest && isSame && this.#hasSameName(track, pane)) return;
    const before = track.record.state;
    this.#settle(track, pane, round);
    // By then every wait of `observe` is over, so that time alone changes nothing any more.
    track.isAtRest = track.processesUntil === null && track.record.state === before;
  }

  #hasSameName({ override, record }: Track, pane: ListedPane): boolean {
    const { kind, lines, name } = record.state;
    return (override?.name || this.#deps.nameOf(pane, { kind, lines })) === name;
  }

  #settle(track: Track, pane: ListedPane, round: Round): void {
    const { record, interacted, hasFailed } = track;
    const { screen, display, finding, composer } = record;
    const sight = { pane, screen, display, finding, composer, interacted, isFresh: !hasFailed };
    track.record = this.#observe(sight, record, round);
  }

  /** Interprets the screens anew behind which other processes have come up since they were read. */
  async #recogniseLate(quiet: readonly ListedPane[], round: Round): Promise<void> {
    const news: News[] = [];
    for (const pane of quiet) {
      const track = this.#tracks.get(pane.identity);
      // A question may be answered, or the reading begin, without a change of the screen.
      if (!track || (track.processesUntil === null && !track.asksTerminal)) continue;
      if (track.processesUntil !== null && round.monotonic >= track.processesUntil)
        track.processesUntil = null;
      const { capture, processes, asksTerminal } = track;
      if ((await this.#deps.interpreter.processesOf(pane, asksTerminal)) === processes) continue;
      news.push({ pane, capture, hasFailed: false });
    }
    await this.#takeAll(news, round);
  }

  #newsOf(pane: ListedPane, capture: Capture | Error, round: Round): News[] {
    const hasFailed = capture instanceof Error;
    const track = this.#tracks.get(pane.identity);
    if (!track || (!hasFailed && !isKnown(track, pane, capture, round)))
      return [{ pane, capture: hasFailed ? NOTHING : capture, hasFailed }];
    const { monotonic: at, captureLines } = round;
    const now = { captured: pane, at, captureLines, hasFailed, isAtRest: false };
    Object.assign(track, now);
    this.#settle(track, pane, round);
    return [];
  }

  async #takeAll(news: readonly News[], round: Round): Promise<void> {
    for (let start = 0; start < news.length; start += SLICE) {
      // A large fleet that prints takes a while to read: let requests in between.
      if (start > 0) await nextTick();
      await this.#takeSlice(news.slice(start, start + SLICE), round);
    }
  }

  /** Interprets captures and remembers them. */
  async #takeSlice(news: readonly News[], round: Round): Promise<void> {
    const screens = news.map(({ pane, capture }) => this.#screensOf(pane, capture));
    const subjects = news.map(({ pane }, index): Subject => ({
      pane,
      screen: screens[index]?.screen ?? { lines: [] },
      kindOverride: round.overrides.get(pane.target)?.kind ?? null,
      age: ageFor(this.#tracks.get(pane.identity), pane),
    }));
    const found = await this.#deps.interpreter.interpret(subjects, round.patterns);
    news.forEach((each, index) => {
      const [seen, interpretation] = [screens[index], found[index]];
      if (seen && interpretation) this.#remember(each, { ...seen, ...interpretation }, round);
    });
  }

  #remember(
    { pane, capture, hasFailed }: News,
    seen: Interpretation & { screen: Screen; display: Screen },
    round: Round,
  ): void {
    const track = this.#tracks.get(pane.identity);
    // What was never captured has no text to differ from.
    const before = track?.isSeen ? track.record : null;
    const { screen, display, isComplete, processes, observation } = seen;
    const finding = isComplete || !before ? seen.finding : before.finding;
    const isGuarded = pane.capabilities.input === "guarded_v1";
    const composer = isGuarded ? detectComposer(observation, finding) : null;
    const interacted = track?.interacted ?? 0;
    const sight = { pane, screen, display, finding, composer, interacted, isFresh: !hasFailed };
    const isLate = track !== undefined && isSameCapture(track.capture, capture);
    this.#tracks.set(pane.identity, {
      record: this.#observe(sight, before, round),
      captured: pane,
      at: round.monotonic,
      captureLines: round.captureLines,
      hasFailed,
      capture,
      // A finding without the patterns is made again, though the text stays the same.
      basis: isComplete ? basisOf(pane, round) : "",
      override: round.overrides.get(pane.target),
      patternsKey: round.patternsKey,
      processes,
      asksTerminal: seen.observation.terminal != null,
      processesUntil: isLate ? track.processesUntil : round.monotonic + LATE_PROCESSES_SECONDS,
      interacted,
      isSeen: !hasFailed,
      isAtRest: false,
    });
  }

  #screensOf(pane: ListedPane, { text, display }: Capture): { screen: Screen; display: Screen } {
    const track = this.#tracks.get(pane.identity);
    const isText = track?.capture.text === text;
    const isDisplay = track?.capture.display === display;
    if (isText && isDisplay) return { screen: track.record.screen, display: track.record.display };
    const screen = parseScreen(text);
    if (display === null) return { screen, display: screen };
    const shown = isDisplay ? track.record.display : parseScreen(display);
    return { screen: withStylesOf(shown, screen), display: shown };
  }

  #observe(
    sight: Sight,
    before: PaneRecord | null,
    { at, monotonic, captureLines, overrides }: Round,
  ): PaneRecord {
    const { nameOf } = this.#deps;
    const { info } = this.#deps.provider;
    const override = overrides.get(sight.pane.target) ?? null;
    return observe(
      {
        ...sight,
        at,
        monotonic,
        captureLines,
        override,
        nameOf: (facts) => override?.name || nameOf(sight.pane, facts),
        provider: info.id,
        mayAct: !info.caution,
      },
      before,
    );
  }
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

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
