import { detectComposer } from "../detect/composer.ts";
import type { PaneOverride } from "../protocol/config.ts";
import type { PaneKind } from "../protocol/pane.ts";
import type { Interpretation } from "./interpreter.ts";
import { observe } from "./observe.ts";
import type { Capture, CapturedPane, ListedPane, TerminalProvider } from "./provider.ts";
import type { Look, Observation } from "./observation.ts";
import type { Round } from "./round.ts";
import { screensOf, type Screens } from "./screens.ts";

/** What was read of one pane in a round; an Error where its capture failed. */
export interface Captured {
  pane: ListedPane;
  capture: Capture | Error;
}

/** One pane from pass to pass. */
interface Track {
  record: Observation;
  /** As it was listed before its last capture. */
  captured: ListedPane;
  /** Monotonic seconds before that capture began, or when it was last found to hold. */
  at: number;
  captureLines: number;
  hasFailed: boolean;
  /** The capture behind the record. */
  capture: Capture;
  /** What else the finding was made from; empty when it has to be made again. */
  basis: string;
  /** Of what the basis was made, to tell without making it again that it is the same. */
  override: PaneOverride | undefined;
  patternsKey: string;
  /** What the finding was told of the processes. */
  processes: string;
  /** The kernel tells what they do with the terminal, and is asked again in every pass. */
  asksTerminal: boolean;
  /** Monotonic seconds until which other processes may come up behind this screen; null after it. */
  processesUntil: number | null;
  interacted: number;
  /** Monotonic seconds of what was sent to it, until a capture tells what came of that. */
  sentAt: number | null;
  /** What was sent is a program that runs, and takes no keys. */
  runsOn: boolean;
  /** False: every capture so far has failed. */
  isSeen: boolean;
  /** Time has nothing more to add to the record. */
  isAtRest: boolean;
}

export interface TracksDeps {
  provider: Pick<TerminalProvider, "info">;
  /** The name of a pane that no override names. */
  nameOf: (pane: ListedPane, facts: { kind: PaneKind; lines: readonly string[] }) => string;
}

const NOTHING: Capture = { text: "", display: null };
/**
 * Who runs in a pane may show later than what it draws: a script is named first, then the agent that
 * it starts. Within this time after a change of the screen the processes are asked for again.
 */
const LATE_PROCESSES_SECONDS = 3;
/** What a program does with what was sent to it, it shows within this time. */
const ANSWERS_SECONDS = 2;

/** What is known of every listed pane, by identity: same id with another process is another pane. */
export class Tracks {
  readonly #deps: TracksDeps;
  #tracks = new Map<string, Track>();

  constructor(deps: TracksDeps) {
    this.#deps = deps;
  }

  recordOf(pane: ListedPane): Observation | null {
    return this.#tracks.get(pane.identity)?.record ?? null;
  }

  /** An action reached this pane: it works, until a capture tells what came of it. */
  stamp(pane: ListedPane, round: Round): void {
    const track = this.#tracks.get(pane.identity);
    if (!track) return;
    const sent = { interacted: round.at, sentAt: round.monotonic, runsOn: false };
    Object.assign(track, { ...sent, isAtRest: false });
    this.#observeAgain(track, pane, round);
  }

  /** Whether something was sent to a pane, and nothing is known yet of what came of it. */
  isAwaited(pane: ListedPane): boolean {
    return (this.#tracks.get(pane.identity)?.sentAt ?? null) !== null;
  }

  /** Whether the program that was sent for runs on. */
  markRunning(pane: ListedPane, runsOn: boolean): void {
    const track = this.#tracks.get(pane.identity);
    if (track) track.runsOn = runsOn;
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

  /** The last capture of a pane, where the same one would change nothing. */
  lastCapture(pane: ListedPane, round: Round): CapturedPane | null {
    const track = this.#tracks.get(pane.identity);
    if (!track || track.hasFailed || track.captureLines !== round.captureLines) return null;
    if (!hasSameBasis(track, pane, round)) return null;
    return { pane, captured: track.captured, at: track.at, text: track.capture.text };
  }

  /** The last capture holds, but time has passed and the listing may say more. */
  hold(pane: ListedPane, round: Round): void {
    const track = this.#tracks.get(pane.identity);
    if (!track) return;
    const override = round.overrides.get(pane.target);
    const isSame = track.captured === pane && track.override === override;
    Object.assign(track, { captured: pane, at: round.monotonic, override });
    const isThere = isSame && track.record.state.host === round.host;
    if (track.isAtRest && isThere && this.#hasSameName(track, pane)) return;
    const before = track.record.state;
    this.#observeAgain(track, pane, round);
    // By then every wait of `observe` is over, so that time alone changes nothing any more.
    const isOver = track.processesUntil === null && track.sentAt === null;
    track.isAtRest = isOver && track.record.state === before;
  }

  /** Takes in a capture that says nothing new, or nothing at all; false: it is to be interpreted. */
  takeKnown({ pane, capture }: Captured, round: Round): boolean {
    const track = this.#tracks.get(pane.identity);
    if (!track) return false;
    const hasFailed = capture instanceof Error;
    if (!hasFailed && !isSameCapture(track.capture, capture)) return false;
    if (!hasFailed && !hasSameBasis(track, pane, round)) return false;
    const { monotonic: at, captureLines } = round;
    Object.assign(track, { captured: pane, at, captureLines, hasFailed, isAtRest: false });
    this.#observeAgain(track, pane, round);
    return true;
  }

  /** The screens of a capture; what was parsed before is the same object. */
  screensOf({ pane, capture }: Captured): Screens {
    const track = this.#tracks.get(pane.identity);
    return screensOf(
      capture instanceof Error ? NOTHING : capture,
      track && { capture: track.capture, ...track.record },
    );
  }

  /** Where the agent is known, what was read of its processes a moment ago will do for now. */
  ageOfProcesses(pane: ListedPane): "recent" | "now" {
    const track = this.#tracks.get(pane.identity);
    const isKnown = track !== undefined && track.record.finding.agent !== null;
    return isKnown && track.captured.command === pane.command ? "recent" : "now";
  }

  /**
   * The last capture and what its finding was told of the processes, where they may be others by now:
   * soon after a change of the screen, and where the kernel tells of a question without one.
   */
  mayHaveOthers(pane: ListedPane, round: Round): LateProcesses | null {
    const track = this.#tracks.get(pane.identity);
    if (!track || (track.processesUntil === null && !track.asksTerminal)) return null;
    if (track.processesUntil !== null && round.monotonic >= track.processesUntil)
      track.processesUntil = null;
    return track;
  }

  /** Remembers a capture and what it was found to say. */
  take({ pane, capture: read }: Captured, screens: Screens, seen: Interpretation, round: Round) {
    const track = this.#tracks.get(pane.identity);
    // What was never captured has no text to differ from.
    const before = track?.isSeen ? track.record : null;
    const hasFailed = read instanceof Error;
    const capture = hasFailed ? NOTHING : read;
    const { isComplete, processes, input } = seen;
    // A prompt that is found without the patterns is there, whatever they would have found.
    const isKnown = isComplete || seen.finding.status === "needs_input";
    const finding = isKnown || !before ? seen.finding : before.finding;
    const isGuarded = pane.capabilities.input === "guarded_v1";
    const composer = isGuarded ? detectComposer(input, finding) : null;
    const { interacted = 0, sentAt: sentLast = null, runsOn = false } = track ?? {};
    const at = round.monotonic;
    const sentAt = sentBefore({ sentAt: sentLast, runsOn, at, hasFailed });
    const isAwaited = sentAt !== null;
    const look = {
      pane,
      ...screens,
      finding,
      composer,
      interacted,
      isAwaited,
      isFresh: !hasFailed,
    };
    const isLate = track !== undefined && isSameCapture(track.capture, capture);
    this.#tracks.set(pane.identity, {
      record: this.#observe(look, before, round),
      captured: pane,
      at,
      captureLines: round.captureLines,
      hasFailed,
      capture,
      // A finding without the patterns is made again, though the text stays the same.
      basis: isComplete ? basisOf(pane, round) : "",
      override: round.overrides.get(pane.target),
      patternsKey: round.patternsKey,
      processes,
      asksTerminal: input.terminal != null,
      processesUntil: isLate ? track.processesUntil : round.monotonic + LATE_PROCESSES_SECONDS,
      interacted,
      sentAt,
      runsOn,
      isSeen: !hasFailed,
      isAtRest: false,
    });
  }

  /** What would be remembered of a pane whose capture says this. */
  preview(said: Omit<PaneLook, "interacted" | "isAwaited" | "isFresh">, round: Round): Observation {
    const track = this.#tracks.get(said.pane.identity);
    const { interacted = 0, sentAt = null } = track ?? {};
    const look = { ...said, interacted, isAwaited: sentAt !== null, isFresh: true };
    return this.#observe(look, track?.record ?? null, round);
  }

  #hasSameName({ override, record }: Track, pane: ListedPane): boolean {
    const { kind, lines, name } = record.state;
    return (override?.name || this.#deps.nameOf(pane, { kind, lines })) === name;
  }

  #observeAgain(track: Track, pane: ListedPane, round: Round): void {
    const { record, interacted, hasFailed } = track;
    const { screen, display, finding, composer } = record;
    track.sentAt = sentBefore(track);
    const isAwaited = track.sentAt !== null;
    const shown = { pane, screen, display, finding, composer, interacted };
    const look = { ...shown, isAwaited, isFresh: !hasFailed };
    track.record = this.#observe(look, record, round);
  }

  #observe(look: PaneLook, before: Observation | null, round: Round): Observation {
    const { at, monotonic, captureLines, overrides, host } = round;
    const { nameOf } = this.#deps;
    const { info } = this.#deps.provider;
    const override = overrides.get(look.pane.target) ?? null;
    return observe(
      {
        ...look,
        at,
        monotonic,
        captureLines,
        override,
        nameOf: (facts) => override?.name || nameOf(look.pane, facts),
        provider: info.id,
        host,
        mayAct: !info.caution,
      },
      before,
    );
  }
}

/** What is the pane's own in a look at it. */
type PaneLook = Pick<
  Look,
  "pane" | "screen" | "display" | "finding" | "composer" | "interacted" | "isAwaited" | "isFresh"
>;

/** Null once a capture from long enough after it was read; one that fails tells nothing. */
function sentBefore({
  sentAt,
  runsOn,
  at,
  hasFailed,
}: Pick<Track, "sentAt" | "runsOn" | "at" | "hasFailed">): number | null {
  if (sentAt === null) return null;
  return hasFailed || runsOn || at < sentAt + ANSWERS_SECONDS ? sentAt : null;
}

type LateProcesses = Pick<Track, "capture" | "processes" | "asksTerminal">;

function isSameCapture(a: Capture, b: Capture): boolean {
  return a.text === b.text && a.display === b.display;
}

/** Whether the finding would be made from the same as before, the text and the processes aside. */
function hasSameBasis(track: Track, pane: ListedPane, round: Round): boolean {
  const { captured, override, patternsKey, basis } = track;
  const isSame = captured === pane && patternsKey === round.patternsKey;
  // A quiet pane is the same object from listing to listing: nothing is joined again.
  if (isSame && override === round.overrides.get(pane.target)) return basis !== "";
  return basis === basisOf(pane, round);
}

/** What a finding is made from besides the text and the processes. */
function basisOf(pane: ListedPane, { overrides, patternsKey }: Round): string {
  const { title, command, width, height, alternate, cursor, native, revision } = pane;
  const kind = overrides.get(pane.target)?.kind ?? "";
  const place = cursor ? `${cursor.row},${cursor.column},${cursor.visible}` : "";
  const said = native ? JSON.stringify(native) : "";
  const facts = [title, command, width, height, alternate, place, said, revision];
  return [...facts, kind, patternsKey].join("\0");
}
