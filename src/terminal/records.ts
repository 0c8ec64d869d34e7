import { detectComposer } from "../detect/composer.ts";
import { type Clock, momentOf } from "../lib/clock.ts";
import type { PaneKind } from "../protocol/pane.ts";
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
import type { Capture, CapturedPane, ListedPane, TerminalProvider } from "./provider.ts";
import type { PaneReading } from "./reading.ts";
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

interface Said extends Captured, Screens, Interpretation {}

type Unobserved = Omit<PaneRecord, keyof Observation>;

/** Of a pane whose every capture has failed. */
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
  #records = new Map<string, PaneRecord>();
  #listed: readonly ListedPane[] = [];

  constructor(deps: RecordsDeps) {
    this.#deps = deps;
  }

  #of({ identity }: ListedPane): PaneRecord | null {
    return this.#records.get(identity) ?? null;
  }

  /** Those of the last pass that came to its end, in the order of its listing. */
  get all(): PaneRecord[] {
    return this.#listed.flatMap((pane) => this.#of(pane) ?? []);
  }

  #find(id: string): PaneRecord | undefined {
    return this.all.find(({ pane }) => pane.id === id);
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
    const gone = await this.read(due, context, signal);
    for (const pane of quiet) {
      const before = this.#of(pane);
      // The listing may say more than the capture.
      if (before && !this.#isAsBefore(before, pane, context))
        this.#keep(before, { pane, isFresh: true }, context);
    }
    await this.#interpretLate(quiet, context);
    this.#listed = panes.filter(({ id }) => !gone.has(id));
    this.#records = new Map(this.all.map((record) => [record.pane.identity, record]));
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
    const captures = await this.#deps.provider.capture(panes, context.rules.captureLines, signal);
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
      const before = this.#of(pane);
      // A capture that failed says nothing of a pane that is known.
      const saysNothing = (record: PaneRecord) =>
        capture instanceof Error ||
        (isSameCapture(record.capture, capture) && hasSameBasis(record, pane, context.rules));
      if (before && saysNothing(before))
        this.#keep(before, { pane, isFresh: !(capture instanceof Error) }, context);
      else fresh.push(each);
    }
    await this.#interpretAll(fresh, context);
  }

  /** A pane as it was captured at this moment, which is not recorded. */
  async reading(pane: ListedPane, capture: Capture, context: PassContext): Promise<PaneReading> {
    const [said] = await this.#interpret([{ pane, capture }], context);
    if (!said) throw new Error(`${pane.id} was not interpreted`);
    // What stands there now counts, also where the patterns gave no answer in time.
    const record = this.#reread({ ...said, isComplete: true }, context);
    const composer = record.composer ?? detectComposer(said.input, said.finding);
    return readingOf({ ...record, composer }, context);
  }

  /** What the last pass has read of a pane; null where its capture would not do any more. */
  lastReading(id: string, context: PassContext): PaneReading | null {
    const record = this.#find(id);
    const last = record && this.#lastCapture(record.pane, context);
    return last ? { ...readingOf(record, context), passText: last.text } : null;
  }

  /** An action reached this pane: it works, until a capture tells what came of it. */
  noteAction(id: string, context: PassContext): boolean {
    const { at, monotonic } = context;
    const sent = { interacted: at, sentAt: monotonic, runsOn: false, actedAt: monotonic };
    return this.#note(id, sent, context);
  }

  /** Somebody looks at this pane: that its agent is done is no news any more. */
  markSeen(id: string, context: PassContext): boolean {
    return this.#note(id, { seenAt: context.monotonic }, context);
  }

  failed(): void {
    for (const { pane, work } of this.#records.values())
      if (work.run) this.#amend(pane, { work: unwatched(work) });
  }

  /** False: no such pane is listed. */
  #note(id: string, noted: Partial<PaneRecord>, context: PassContext): boolean {
    const before = this.#find(id);
    if (!before) return false;
    const record = this.#observed({ ...before, ...noted }, before, context);
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

  /** The last capture of a pane, where the same one would change nothing. */
  #lastCapture(pane: ListedPane, { rules }: PassContext): CapturedPane | null {
    const record = this.#of(pane);
    if (!record?.isFresh || !hasSameBasis(record, pane, rules)) return null;
    return { pane, captured: record.pane, at: record.at, text: record.capture.text };
  }

  /** What was read last holds, or nothing newer could be read. */
  #keep(before: PaneRecord, now: Pick<PaneRecord, "pane" | "isFresh">, context: PassContext): void {
    const { rules, monotonic: at } = context;
    // A capture that failed says nothing of a pane that another program has taken over.
    const basis = hasSameBasis(before, now.pane, rules) ? before.basis : "";
    const record = this.#observed({ ...before, ...now, basis, rules, at }, before, context);
    const { processesUntil, sentAt, work, isUnsettled, state } = record;
    // By then every wait of `observe` is over, so that time alone changes nothing any more.
    const isOver = processesUntil === null && sentAt === null && !work.run && !isUnsettled;
    this.#set({ ...record, isAtRest: isOver && state === before.state });
  }

  /** Other processes may have come up behind a screen since it was read: it is interpreted anew. */
  async #interpretLate(quiet: Iterable<ListedPane>, context: PassContext): Promise<void> {
    const late: Captured[] = [];
    for (const pane of quiet) {
      const record = this.#of(pane);
      if (!record || (record.processesUntil === null && !record.asksTerminal)) continue;
      if (record.processesUntil !== null && context.monotonic >= record.processesUntil)
        this.#amend(pane, { processesUntil: null });
      const { capture, processes, asksTerminal } = record;
      if ((await processesOf(this.#deps.provider, pane, asksTerminal)) !== processes)
        late.push({ pane, capture });
    }
    await this.#interpretAll(late, context);
  }

  async #interpretAll(captured: readonly Captured[], context: PassContext): Promise<void> {
    for (let start = 0; start < captured.length; start += SLICE) {
      // A large fleet that prints takes a while to read: let requests in between.
      if (start > 0) await new Promise((resolve) => setImmediate(resolve));
      for (const said of await this.#interpret(captured.slice(start, start + SLICE), context))
        this.#set(this.#reread(said, context));
    }
  }

  #interpret(captured: readonly Captured[], { rules }: PassContext): Promise<Said[]> {
    const subjects = captured.map(({ pane, capture }) => {
      const before = this.#of(pane);
      // Where the agent is known, what was read of its processes a moment ago will do for now.
      const isSame = before?.finding.agent && before.pane.command === pane.command;
      return {
        ...{ pane, capture },
        ...screensOf(capture instanceof Error ? NOTHING : capture, before),
        kindOverride: rules.overrides.get(pane.target)?.kind ?? null,
        age: isSame ? ("recent" as const) : ("now" as const),
      };
    });
    return interpret(this.#deps, subjects, rules.patterns);
  }

  /** A record of what was read anew. */
  #reread(said: Said, context: PassContext): PaneRecord {
    const { pane, capture: read, screen, display, input, processes, isComplete } = said;
    const { monotonic: at, rules } = context;
    const known = this.#of(pane);
    // What was never captured has no text to differ from.
    const before = known?.capture === NOTHING ? null : known;
    const isFresh = !(read instanceof Error);
    const capture = isFresh ? read : NOTHING;
    // A prompt that is found without the patterns is there, whatever they would have found.
    const isBelieved = isComplete || said.finding.status === "needs_input" || !before;
    const finding = isBelieved ? said.finding : before.finding;
    const isGuarded = pane.capabilities.input === "guarded_v1";
    const isLate = known !== null && isSameCapture(known.capture, capture);
    const { interacted = 0, sentAt = null, runsOn = false } = known ?? {};
    const { seenAt, actedAt } = known ?? NO_ATTENTION;
    const now = {
      ...{ pane, at, capture, rules, screen, display, finding, processes },
      ...{ interacted, sentAt, runsOn, seenAt, actedAt, isFresh },
      composer: isGuarded ? detectComposer(input, finding) : null,
      // A finding without the patterns is made again, though the text stays the same.
      basis: isComplete ? basisOf(pane, rules) : "",
      asksTerminal: input.terminal != null,
      processesUntil: isLate ? known.processesUntil : at + LATE_PROCESSES_SECONDS,
      isAtRest: false,
    };
    return this.#observed(now, before, context);
  }

  /** Nothing that a state is made from differs, and time has nothing to add. */
  #isAsBefore(record: PaneRecord, pane: ListedPane, { rules }: PassContext): boolean {
    const { isAtRest, state } = record;
    if (!isAtRest || record.pane !== pane || record.rules !== rules) return false;
    const { continue_then, queued, act } = state;
    const isSaid =
      state.agent_id === this.#agentIn(pane) &&
      Bun.deepEquals(this.#deliveriesTo(pane), { continue_then, queued, act }, true);
    const name = rules.overrides.get(pane.target)?.name;
    return isSaid && cutLabel(name || this.#deps.nameOf(pane, state)) === state.name;
  }

  #agentIn({ id }: ListedPane): string | null {
    return this.#deps.agentIn?.(id) ?? null;
  }

  #deliveriesTo({ identity }: ListedPane): Deliveries {
    const told = this.#deps.deliveries?.(identity);
    const { continue_then = null, queued = null, act = null } = told ?? {};
    return { continue_then, queued, act };
  }

  #observed(now: Unobserved, before: PaneRecord | null, context: PassContext): PaneRecord {
    const { at, monotonic, rules } = context;
    const { host, captureLines } = rules;
    const { pane } = now;
    const { info } = this.#deps.provider;
    const override = rules.overrides.get(pane.target) ?? null;
    // Until a capture from long enough after it was read; one that fails tells nothing.
    const isAwaited =
      now.sentAt !== null && (!now.isFresh || now.runsOn || now.at < now.sentAt + ANSWERS_SECONDS);
    const sentAt = isAwaited ? now.sentAt : null;
    const look = {
      ...now,
      ...{ at, monotonic, override, host, captureLines, isAwaited },
      nameOf: (facts: { kind: PaneKind; lines: readonly string[] }) =>
        override?.name || this.#deps.nameOf(pane, facts),
      deliveries: this.#deliveriesTo(pane),
      agentId: this.#agentIn(pane),
      provider: info.id,
      mayAct: !info.caution,
    };
    return { ...now, sentAt, ...observe(look, before) };
  }
}

function readingOf(record: PaneRecord, { monotonic }: PassContext): PaneReading {
  const { pane, state, composer, screen, finding, isUnsettled, decidingSince } = record;
  const lineAge = monotonic - decidingSince;
  return { pane, state, prompt: finding.prompt, composer, screen, finding, isUnsettled, lineAge };
}
