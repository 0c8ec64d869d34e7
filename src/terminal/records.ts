import { detectComposer } from "../detect/composer.ts";
import { type Clock, momentOf } from "../lib/clock.ts";
import type { NamingFacts } from "../naming/heuristics.ts";
import {
  interpret,
  type Interpretation,
  type InterpreterDeps,
  processesOf,
  runsOn,
  type Screens,
  screensOf,
} from "./interpreter.ts";
import { cutLabel, observe } from "./observe.ts";
import { NO_NOTES, type PaneNotes } from "./pane-notes.ts";
import {
  type Capture,
  type CapturedPane,
  isSameCapture,
  type ListedPane,
  type TerminalProvider,
} from "./provider.ts";
import type { PaneReading } from "./reading.ts";
import {
  basisOf,
  hasSameBasis,
  type Observation,
  type PaneRecord,
  type PassContext,
} from "./record.ts";
import { NO_ATTENTION, breakRun } from "./status.ts";

export interface RecordsDeps extends InterpreterDeps {
  provider: InterpreterDeps["provider"] & Pick<TerminalProvider, "info" | "capture" | "unchanged">;
  nameOf: (pane: ListedPane, facts: NamingFacts) => string;
  /** Absent where nothing is ever sent. */
  notesOf?: (pane: ListedPane) => PaneNotes;
  clock: Clock;
}

interface CaptureResult {
  pane: ListedPane;
  capture: Capture | Error;
}

interface InterpretedCapture extends CaptureResult, Screens, Interpretation {}

type RecordFacts = Omit<PaneRecord, keyof Observation>;

/** The capture of a pane whose every capture has failed. */
const NO_CAPTURE: Capture = { text: "", display: null };
const SLICE = 20;
/**
 * For so long after a change of the screen the processes are asked for again: of an agent that a script
 * starts, the screen may show before the process does.
 */
const LATE_PROCESSES_SECONDS = 3;
/** A program shows the effect of what was sent to it within this time. */
const EFFECT_SECONDS = 2;

/**
 * The records of all listed panes, by identity: the same id with another process is another pane. Panes
 * that may have changed are captured; those that have are interpreted.
 */
export class Records {
  readonly #deps: RecordsDeps;
  #records = new Map<string, PaneRecord>();
  #listed: readonly ListedPane[] = [];

  constructor(deps: RecordsDeps) {
    this.#deps = deps;
  }

  #of({ identity }: ListedPane): PaneRecord | null {
    return this.#records.get(identity) ?? null;
  }

  /** The records of the last complete pass, in the order of its listing. */
  get all(): PaneRecord[] {
    return this.#listed.flatMap((pane) => this.#of(pane) ?? []);
  }

  #find(id: string): PaneRecord | undefined {
    return this.all.find(({ pane }) => pane.id === id);
  }

  /** Brings every pane up to date; captures only `forced` ids and those that may have changed. */
  async update(
    panes: readonly ListedPane[],
    forced: ReadonlySet<string>,
    context: PassContext,
    signal: AbortSignal,
  ): Promise<void> {
    const { provider } = this.#deps;
    for (const pane of panes)
      if ((this.#of(pane)?.sentAt ?? null) !== null)
        this.#amend(pane, { runsOn: await runsOn(provider, pane) });
    const captured = panes.flatMap((pane) => {
      const last = forced.has(pane.id) ? null : this.#lastCapture(pane, context);
      return last ? [last] : [];
    });
    const unchanged = await provider.unchanged(captured, context.monotonic, signal);
    const quiet = new Set(captured.map(({ pane }) => pane).filter(({ id }) => unchanged.has(id)));
    const due = panes.filter((pane) => !quiet.has(pane));
    const goneIds = await this.read(due, context, signal);
    for (const pane of quiet) {
      const before = this.#of(pane);
      // The listing may say more than the capture.
      if (before && !this.#isAsBefore(before, pane, context))
        this.#keep(before, { pane, isFresh: true }, context);
    }
    await this.#interpretLate(quiet, context);
    this.#listed = panes.filter(({ id }) => !goneIds.has(id));
    this.#records = new Map(this.all.map((record) => [record.pane.identity, record]));
  }

  /** Captures panes and records what they show. @returns the ids of those that are gone */
  async read(
    panes: readonly ListedPane[],
    context: PassContext,
    signal: AbortSignal,
  ): Promise<Set<string>> {
    if (panes.length === 0) return new Set();
    // The moment before the capture, not that of the listing: keys sent in between show in the capture.
    const began = { ...context, ...momentOf(this.#deps.clock) };
    const captures = await this.#deps.provider.capture(panes, context.rules.captureLines, signal);
    const captured = panes.flatMap((pane) => {
      const capture = captures.get(pane.id);
      return capture ? [{ pane, capture }] : [];
    });
    await this.take(captured, began);
    return new Set(panes.map(({ id }) => id).filter((id) => !captures.has(id)));
  }

  async take(captured: readonly CaptureResult[], context: PassContext): Promise<void> {
    const fresh: CaptureResult[] = [];
    for (const each of captured) {
      const { pane, capture } = each;
      const before = this.#of(pane);
      // A failed capture is no news of a pane that is recorded.
      const isNoNews = (record: PaneRecord) =>
        capture instanceof Error ||
        (isSameCapture(record.capture, capture) && hasSameBasis(record, pane, context.rules));
      if (before && isNoNews(before))
        this.#keep(before, { pane, isFresh: !(capture instanceof Error) }, context);
      else fresh.push(each);
    }
    await this.#interpretAll(fresh, context);
  }

  /** A pane as it was captured just now, without recording it. */
  async reading(pane: ListedPane, capture: Capture, context: PassContext): Promise<PaneReading> {
    const interpreted = await this.#interpret({ pane, capture }, context);
    // The screen of this moment counts, also where the patterns gave no answer in time.
    const record = this.#recordOf({ ...interpreted, isComplete: true }, context);
    const composer = record.composer ?? detectComposer(interpreted.input, interpreted.finding);
    return readingOf({ ...record, composer }, context);
  }

  /** What the last pass read of a pane; null where a new capture is needed. */
  lastReading(id: string, context: PassContext): PaneReading | null {
    const record = this.#find(id);
    const last = record && this.#lastCapture(record.pane, context);
    return last ? { ...readingOf(record, context), passText: last.text } : null;
  }

  /** An action reached this pane: it counts as working until a capture shows the effect. */
  noteAction(id: string, context: PassContext): boolean {
    const { at, monotonic } = context;
    const sent = { interacted: at, sentAt: monotonic, runsOn: false, actedAt: monotonic };
    return this.#note(id, sent, context);
  }

  markSeen(id: string, context: PassContext): boolean {
    return this.#note(id, { seenAt: context.monotonic }, context);
  }

  /** A pass failed: turns that run now may end unnoticed. */
  breakRuns(): void {
    for (const { pane, work } of this.#records.values())
      if (work.run) this.#amend(pane, { work: breakRun(work) });
  }

  /** @returns false when no such pane is listed */
  #note(id: string, members: Partial<PaneRecord>, context: PassContext): boolean {
    const before = this.#find(id);
    if (!before) return false;
    const record = this.#observe({ ...before, ...members }, before, context);
    this.#set({ ...record, isAtRest: false });
    return true;
  }

  #amend(pane: ListedPane, members: Partial<PaneRecord>): void {
    const record = this.#of(pane);
    if (record) this.#set({ ...record, ...members });
  }

  #set(record: PaneRecord): void {
    this.#records.set(record.pane.identity, record);
  }

  /** The last capture of a pane, where capturing the same screen again would change nothing. */
  #lastCapture(pane: ListedPane, { rules }: PassContext): CapturedPane | null {
    const record = this.#of(pane);
    if (!record?.isFresh || !hasSameBasis(record, pane, rules)) return null;
    return { pane, captured: record.pane, at: record.at, text: record.capture.text };
  }

  /** The last capture still holds, or a newer one failed. */
  #keep(before: PaneRecord, now: Pick<PaneRecord, "pane" | "isFresh">, context: PassContext): void {
    const { rules, monotonic: at } = context;
    // After a failed capture the finding holds only while the same program runs.
    const basis = hasSameBasis(before, now.pane, rules) ? before.basis : "";
    const record = this.#observe({ ...before, ...now, basis, rules, at }, before, context);
    const { processesUntil, sentAt, work, isUnsettled, state } = record;
    // No wait of `observe` is left to run out.
    const isOver = processesUntil === null && sentAt === null && !work.run && !isUnsettled;
    this.#set({ ...record, isAtRest: isOver && state === before.state });
  }

  /** Interprets again the panes whose processes have changed since their screen was read. */
  async #interpretLate(quiet: Iterable<ListedPane>, context: PassContext): Promise<void> {
    const asked = [...quiet].flatMap((pane) => {
      const record = this.#of(pane);
      return record && (record.processesUntil !== null || record.terminal) ? [record] : [];
    });
    // All at once: another machine is asked about all its panes in one exchange.
    const isLate = await Promise.all(asked.map((record) => this.#hasOtherProcesses(record)));
    for (const { pane, processesUntil } of asked)
      if (processesUntil !== null && context.monotonic >= processesUntil)
        this.#amend(pane, { processesUntil: null });
    const late = asked.filter((_, index) => isLate[index]);
    await this.#interpretAll(late, context);
  }

  async #interpretAll(captured: readonly CaptureResult[], context: PassContext): Promise<void> {
    for (let start = 0; start < captured.length; start += SLICE) {
      // Many panes take a while to interpret: let requests through in between.
      if (start > 0) await new Promise((resolve) => setImmediate(resolve));
      const slice = captured.slice(start, start + SLICE);
      for (const each of await Promise.all(slice.map((one) => this.#interpret(one, context))))
        this.#set(this.#recordOf(each, context));
    }
  }

  async #hasOtherProcesses({ pane, processes, terminal, ...record }: PaneRecord): Promise<boolean> {
    // The screen has long been as it is: what is a few seconds old will do.
    const age = record.processesUntil === null ? "recent" : "now";
    const asked = { asksTerminal: terminal !== null, age } as const;
    // What cannot be read has not changed.
    return processesOf(this.#deps.provider, pane, asked).then(
      (now) => now !== processes,
      () => false,
    );
  }

  #interpret(
    { pane, capture }: CaptureResult,
    { rules }: PassContext,
  ): Promise<InterpretedCapture> {
    const before = this.#of(pane);
    // Where the agent is known, a recent reading of its processes will do.
    const isSame = before?.finding.agent && before.pane.command === pane.command;
    const subject = {
      ...{ pane, capture },
      ...screensOf(capture instanceof Error ? NO_CAPTURE : capture, before),
      kindOverride: rules.overrides.get(pane.target)?.kind ?? null,
      age: isSame ? ("recent" as const) : ("now" as const),
    };
    return interpret(this.#deps, subject, rules.patterns);
  }

  #recordOf(interpreted: InterpretedCapture, context: PassContext): PaneRecord {
    const { pane, capture: latest, screen, display, input, processes } = interpreted;
    const { isComplete, isAnswered } = interpreted;
    const { monotonic: at, rules } = context;
    const known = this.#of(pane);
    // A pane that was never captured has no text to differ from.
    const before = known?.capture === NO_CAPTURE ? null : known;
    const isFresh = !(latest instanceof Error);
    const capture = isFresh ? latest : NO_CAPTURE;
    // A prompt that is found without the patterns is there, whatever they would have found.
    const isBelieved = isComplete || interpreted.finding.status === "needs_input" || !before;
    const finding = isBelieved ? interpreted.finding : before.finding;
    const isGuarded = pane.capabilities.input === "guarded_v1";
    const isLate = known !== null && isSameCapture(known.capture, capture);
    const { interacted = 0, sentAt = null, runsOn = false } = known ?? {};
    const { seenAt, actedAt } = known ?? NO_ATTENTION;
    const now = {
      ...{ pane, at, capture, rules, screen, display, finding, processes },
      ...{ interacted, sentAt, runsOn, seenAt, actedAt, isFresh },
      composer: isGuarded ? detectComposer(input, finding) : null,
      // A finding without the patterns, or without the kernel's answer, is made again, though the text
      // stays the same.
      basis: isComplete && isAnswered ? basisOf(pane, rules) : "",
      terminal: input.terminal ?? null,
      processesUntil: isLate ? known.processesUntil : at + LATE_PROCESSES_SECONDS,
      isAtRest: false,
    };
    return this.#observe(now, before, context);
  }

  /** Whether nothing that a state is made from has changed, time included. */
  #isAsBefore(record: PaneRecord, pane: ListedPane, { rules }: PassContext): boolean {
    const { isAtRest, state } = record;
    if (!isAtRest || record.pane !== pane || record.rules !== rules) return false;
    const { continue_then, queued, act, agent_id } = state;
    const published: PaneNotes = { continue_then, queued, act, agent_id };
    if (!Bun.deepEquals(this.#notesOf(pane), published, true)) return false;
    const name = rules.overrides.get(pane.target)?.name;
    return cutLabel(name || this.#deps.nameOf(pane, state)) === state.name;
  }

  #notesOf(pane: ListedPane): PaneNotes {
    return this.#deps.notesOf?.(pane) ?? NO_NOTES;
  }

  #observe(now: RecordFacts, before: PaneRecord | null, context: PassContext): PaneRecord {
    const { at, monotonic, rules } = context;
    const { host, captureLines } = rules;
    const { pane } = now;
    const { info } = this.#deps.provider;
    const override = rules.overrides.get(pane.target) ?? null;
    // Until a good capture from long enough after the send.
    const isAwaited =
      now.sentAt !== null && (!now.isFresh || now.runsOn || now.at < now.sentAt + EFFECT_SECONDS);
    const sentAt = isAwaited ? now.sentAt : null;
    const look = {
      ...now,
      ...{ at, monotonic, override, host, captureLines, isAwaited },
      nameOf: (facts: NamingFacts) => override?.name || this.#deps.nameOf(pane, facts),
      notes: this.#notesOf(pane),
      provider: info.id,
      mayAct: !info.caution,
    };
    return { ...now, sentAt, ...observe(look, before) };
  }
}

function readingOf(record: PaneRecord, { monotonic }: PassContext): PaneReading {
  const { pane, state, composer, screen, finding, terminal, isUnsettled, decidingSince } = record;
  const { prompt } = finding;
  const lineAge = monotonic - decidingSince;
  return { pane, state, prompt, composer, screen, finding, terminal, isUnsettled, lineAge };
}
