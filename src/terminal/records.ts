import { detectComposer } from "../detect/composer.ts";
import { type Clock, momentOf } from "../lib/clock.ts";
import type { PaneKind, PaneState } from "../protocol/pane.ts";
import {
  type Interpretation,
  Interpreter,
  type InterpreterDeps,
  type Screens,
  screensOf,
} from "./interpreter.ts";
import { observe } from "./observe.ts";
import { reuse } from "./pane-state.ts";
import type { Capture, CapturedPane, ListedPane, TerminalProvider } from "./provider.ts";
import type { FreshRead } from "./reading.ts";
import {
  basisOf,
  type Deliveries,
  hasSameBasis,
  isSameCapture,
  type Observation,
  type PaneRecord,
  type PassContext,
} from "./record.ts";
import { NO_ATTENTION, unwatched } from "./status.ts";

export interface RecordsDeps extends InterpreterDeps {
  provider: InterpreterDeps["provider"] & Pick<TerminalProvider, "info" | "capture" | "unchanged">;
  nameOf: (pane: ListedPane, facts: { kind: PaneKind; lines: readonly string[] }) => string;
  /** By the pane's identity: undefined for nearly all. Absent where nothing is ever sent. */
  deliveries?: (identity: string) => { [K in keyof Deliveries]?: Deliveries[K] | undefined };
  agentIn?: (paneId: string) => string | null;
  clock: Clock;
}

interface Captured {
  pane: ListedPane;
  capture: Capture | Error;
}

interface Read {
  capture: Capture | Error;
  /** Null: it says nothing new. */
  said: (Screens & Interpretation) | null;
}

const NOTHING: Capture = { text: "", display: null };
const SLICE = 20;
/**
 * Who runs in a pane may show later than what it draws: a script is named first, then the agent that
 * it starts. Within this time after a change of the screen the processes are asked for again.
 */
const LATE_PROCESSES_SECONDS = 3;
/** What a program does with what was sent to it, it shows within this time. */
const ANSWERS_SECONDS = 2;

/**
 * What is known of every listed pane, by identity: same id with another process is another pane. It is
 * captured where that may say more, interpreted where it does, and recorded.
 */
export class Records {
  readonly #deps: RecordsDeps;
  readonly #interpreter: Interpreter;
  #records = new Map<string, PaneRecord>();

  constructor(deps: RecordsDeps) {
    this.#deps = deps;
    this.#interpreter = new Interpreter(deps);
  }

  of({ identity }: ListedPane): PaneRecord | null {
    return this.#records.get(identity) ?? null;
  }

  /** In the order of the last listing. */
  get all(): PaneRecord[] {
    return [...this.#records.values()];
  }

  find(id: string): ListedPane | undefined {
    return this.#records.values().find(({ pane }) => pane.id === id)?.pane;
  }

  /**
   * Brings every pane up to date with as few captures as the provider's knowledge allows; `forced`
   * ids are captured in any case. Those that are gone are forgotten.
   */
  async update(
    panes: readonly ListedPane[],
    forced: ReadonlySet<string>,
    context: PassContext,
    signal: AbortSignal,
  ): Promise<void> {
    for (const pane of panes)
      if ((this.of(pane)?.sentAt ?? null) !== null)
        this.#amend(pane, { runsOn: await this.#interpreter.runsOn(pane) });
    const captured = panes.flatMap((pane) => {
      const last = forced.has(pane.id) ? null : this.#lastCapture(pane, context);
      return last ? [last] : [];
    });
    const unchanged = await this.#deps.provider.unchanged(captured, context.monotonic, signal);
    const quiet = new Set(captured.map(({ pane }) => pane).filter(({ id }) => unchanged.has(id)));
    const due = panes.filter((pane) => !quiet.has(pane));
    const gone = await this.read(due, context, signal);
    for (const pane of quiet) this.#keep(pane, context);
    await this.#interpretLate(quiet, context);
    const known = panes.flatMap((pane) => {
      const record = gone.has(pane.id) ? null : this.of(pane);
      return record ? [[pane.identity, record] as const] : [];
    });
    this.#records = new Map(known);
  }

  /** Captures panes and takes in what they show. @returns the ids of those that are gone */
  async read(
    panes: readonly ListedPane[],
    context: PassContext,
    signal: AbortSignal,
  ): Promise<Set<string>> {
    if (panes.length === 0) return new Set();
    // What was sent while panes were listed is older than what stands there now.
    const began = { ...context, ...momentOf(this.#deps.clock) };
    const captures = await this.#deps.provider.capture(panes, context.captureLines, signal);
    const captured = panes.flatMap((pane) => {
      const capture = captures.get(pane.id);
      return capture ? [{ pane, capture }] : [];
    });
    await this.take(captured, began);
    return new Set(panes.map(({ id }) => id).filter((id) => !captures.has(id)));
  }

  async take(captured: readonly Captured[], context: PassContext): Promise<void> {
    const fresh: Captured[] = [];
    for (const each of captured) {
      const { pane, capture } = each;
      const before = this.of(pane);
      // A capture that failed says nothing of a pane that is known.
      const isKnown =
        before !== null &&
        (capture instanceof Error ||
          (isSameCapture(before.capture, capture) && hasSameBasis(before, pane, context)));
      if (isKnown) this.#set(pane, this.#updated(pane, { capture, said: null }, context));
      else fresh.push(each);
    }
    await this.#interpretAll(fresh, context);
  }

  /** A pane as it was captured at this moment, which is not recorded. */
  async reading(pane: ListedPane, capture: Capture, context: PassContext): Promise<FreshRead> {
    const [said] = await this.#interpret([{ pane, capture }], context);
    // What stands there now counts, also where the patterns gave no answer in time.
    const read = said && { capture, said: { ...said, isComplete: true } };
    const record = read && this.#updated(pane, read, context);
    if (!record) throw new Error(`${pane.id} was not interpreted`);
    const composer = record.composer ?? detectComposer(said.input, said.finding);
    return readingOf({ ...record, composer }, context);
  }

  /** What the last pass has read of a pane; null where its capture would not do any more. */
  recalled(pane: ListedPane, context: PassContext): FreshRead | null {
    const last = this.#lastCapture(pane, context);
    const record = this.of(pane);
    return last && record && { ...readingOf(record, context), pane, recalled: last.text };
  }

  /** An action reached this pane: it works, until a capture tells what came of it. */
  acted(pane: ListedPane, context: PassContext): void {
    const { at, monotonic } = context;
    const sent = { interacted: at, sentAt: monotonic, runsOn: false, actedAt: monotonic };
    this.#note(pane, sent, context);
  }

  /** Somebody looks at this pane: that its agent is done is no news any more. */
  seen(pane: ListedPane, context: PassContext): void {
    this.#note(pane, { seenAt: context.monotonic }, context);
  }

  failed(): void {
    for (const { pane, work } of this.#records.values())
      if (work.run) this.#amend(pane, { work: unwatched(work) });
  }

  #note(pane: ListedPane, noted: Partial<PaneRecord>, context: PassContext): void {
    const before = this.of(pane);
    if (!before) return;
    const record = this.#observed({ ...before, ...noted }, before, context);
    this.#set(pane, { ...record, isAtRest: false });
  }

  #amend(pane: ListedPane, members: Partial<PaneRecord>): void {
    const record = this.of(pane);
    if (record) this.#set(pane, { ...record, ...members });
  }

  #set({ identity }: ListedPane, record: PaneRecord | null): void {
    if (record) this.#records.set(identity, record);
  }

  /** The last capture of a pane, where the same one would change nothing. */
  #lastCapture(pane: ListedPane, context: PassContext): CapturedPane | null {
    const record = this.of(pane);
    if (!record?.isFresh || record.captureLines !== context.captureLines) return null;
    if (!hasSameBasis(record, pane, context)) return null;
    return { pane, captured: record.pane, at: record.at, text: record.capture.text };
  }

  /** The last capture of a pane holds; the listing may say more. */
  #keep(pane: ListedPane, context: PassContext): void {
    const before = this.of(pane);
    if (before && this.#isAsBefore(before, pane, context)) return;
    this.#set(pane, this.#updated(pane, null, context));
  }

  /** Other processes may have come up behind a screen since it was read: it is interpreted anew. */
  async #interpretLate(quiet: Iterable<ListedPane>, context: PassContext): Promise<void> {
    const late: Captured[] = [];
    for (const pane of quiet) {
      const record = this.of(pane);
      if (!record || (record.processesUntil === null && !record.asksTerminal)) continue;
      if (record.processesUntil !== null && context.monotonic >= record.processesUntil)
        this.#amend(pane, { processesUntil: null });
      const { capture, processes, asksTerminal } = record;
      if ((await this.#interpreter.processesOf(pane, asksTerminal)) !== processes)
        late.push({ pane, capture });
    }
    await this.#interpretAll(late, context);
  }

  async #interpretAll(captured: readonly Captured[], context: PassContext): Promise<void> {
    for (let start = 0; start < captured.length; start += SLICE) {
      // A large fleet that prints takes a while to read: let requests in between.
      if (start > 0) await new Promise((resolve) => setImmediate(resolve));
      for (const said of await this.#interpret(captured.slice(start, start + SLICE), context))
        this.#set(said.pane, this.#updated(said.pane, { capture: said.capture, said }, context));
    }
  }

  #interpret(captured: readonly Captured[], { overrides, patterns }: PassContext) {
    const subjects = captured.map(({ pane, capture }) => {
      const before = this.of(pane);
      // Where the agent is known, what was read of its processes a moment ago will do for now.
      const isSame = before?.finding.agent && before.pane.command === pane.command;
      return {
        ...{ pane, capture },
        ...screensOf(capture instanceof Error ? NOTHING : capture, before),
        kindOverride: overrides.get(pane.target)?.kind ?? null,
        age: isSame ? ("recent" as const) : ("now" as const),
      };
    });
    return this.#interpreter.interpret(subjects, patterns);
  }

  /** A record of what was read, or of the capture before; null where nothing was ever read. */
  #updated(pane: ListedPane, read: Read | null, context: PassContext): PaneRecord | null {
    const before = this.of(pane);
    const { monotonic: at, captureLines } = context;
    if (read?.said) {
      const now = reread(pane, read.capture, read.said, before, context);
      // What was never captured has no text to differ from.
      return this.#observed(now, before?.isSeen ? before : null, context);
    }
    if (!before) return null;
    const taken = read
      ? { captureLines, isFresh: !(read.capture instanceof Error) }
      : { override: context.overrides.get(pane.target) };
    // A capture that failed says nothing of a pane that another program has taken over.
    const basis = hasSameBasis(before, pane, context) ? before.basis : "";
    const record = this.#observed({ ...before, ...taken, basis, pane, at }, before, context);
    // By then every wait of `observe` is over, so that time alone changes nothing any more.
    const isOver = record.processesUntil === null && record.sentAt === null && !record.work.run;
    const isAtRest = read === null && isOver && record.state === before.state;
    return { ...record, isAtRest };
  }

  /** Nothing that a state is made from differs, and time has nothing to add. */
  #isAsBefore(record: PaneRecord, pane: ListedPane, context: PassContext): boolean {
    const { isAtRest, override, state } = record;
    if (!isAtRest || record.pane !== pane || state.host !== context.host) return false;
    if (override !== context.overrides.get(pane.target)) return false;
    const { continue_then, queued, act } = this.#deliveriesTo(pane, state);
    const isSaid =
      state.agent_id === this.#agentIn(pane) &&
      state.continue_then === continue_then &&
      state.queued === queued &&
      state.act === act;
    return isSaid && (override?.name || this.#deps.nameOf(pane, state)) === state.name;
  }

  #agentIn({ id }: ListedPane): string | null {
    return this.#deps.agentIn?.(id) ?? null;
  }

  #deliveriesTo({ identity }: ListedPane, before: PaneState | undefined): Deliveries {
    const told = this.#deps.deliveries?.(identity);
    const { continue_then = null, queued = null, act = null } = told ?? {};
    return {
      continue_then: reuse(before?.continue_then, continue_then),
      queued: reuse(before?.queued, queued),
      act: reuse(before?.act, act),
    };
  }

  #observed(now: Unobserved, before: PaneRecord | null, context: PassContext): PaneRecord {
    const { at, monotonic, overrides, host } = context;
    const { pane } = now;
    const { info } = this.#deps.provider;
    const override = overrides.get(pane.target) ?? null;
    // Until a capture from long enough after it was read; one that fails tells nothing.
    const isAwaited =
      now.sentAt !== null && (!now.isFresh || now.runsOn || now.at < now.sentAt + ANSWERS_SECONDS);
    const sentAt = isAwaited ? now.sentAt : null;
    const look = {
      ...now,
      ...{ at, monotonic, override, host, isAwaited },
      nameOf: (facts: { kind: PaneKind; lines: readonly string[] }) =>
        override?.name || this.#deps.nameOf(pane, facts),
      deliveries: this.#deliveriesTo(pane, before?.state),
      agentId: this.#agentIn(pane),
      provider: info.id,
      mayAct: !info.caution,
    };
    return { ...now, sentAt, ...observe(look, before) };
  }
}

function readingOf(record: PaneRecord, { monotonic }: PassContext): FreshRead {
  const { pane, state, composer, screen, finding, isUnsettled, decidingSince } = record;
  const lineAge = monotonic - decidingSince;
  return { pane, state, prompt: finding.prompt, composer, screen, finding, isUnsettled, lineAge };
}

type Unobserved = Omit<PaneRecord, keyof Observation>;

function reread(
  pane: ListedPane,
  read: Capture | Error,
  { screen, display, input, processes, isComplete, finding: found }: Screens & Interpretation,
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
