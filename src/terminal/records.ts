import type { PaneKind } from "../protocol/pane.ts";
import { unwatched } from "./status.ts";
import { observe } from "./observe.ts";
import type { Deliveries, PaneRecord, PassContext } from "./record.ts";
import type { Capture, CapturedPane, ListedPane, TerminalProvider } from "./provider.ts";
import {
  hasSameBasis,
  isSameCapture,
  NOTHING,
  type Read,
  reread,
  type Screens,
  screensOf,
  sentBefore,
  type Unobserved,
} from "./reread.ts";

export interface RecordsDeps {
  provider: Pick<TerminalProvider, "info">;
  /** The name of a pane that no override names. */
  nameOf: (pane: ListedPane, facts: { kind: PaneKind; lines: readonly string[] }) => string;
  /** By the pane's identity: undefined for nearly all. Absent where nothing is ever sent. */
  deliveries?: (identity: string) => { [K in keyof Deliveries]?: Deliveries[K] | undefined };
  /** The session that is certainly in a pane. Absent where none is looked for. */
  agentIn?: (paneId: string) => string | null;
}

/** What is known of every listed pane, by identity: same id with another process is another pane. */
export class Records {
  readonly #deps: RecordsDeps;
  #records = new Map<string, PaneRecord>();

  constructor(deps: RecordsDeps) {
    this.#deps = deps;
  }

  of({ identity }: ListedPane): PaneRecord | null {
    return this.#records.get(identity) ?? null;
  }

  keepOnly(panes: readonly ListedPane[]): void {
    const kept = new Map<string, PaneRecord>();
    for (const { identity } of panes) {
      const record = this.#records.get(identity);
      if (record) kept.set(identity, record);
    }
    this.#records = kept;
  }

  /** What a pass has read of a pane; null: its last capture holds, and the listing may say more. */
  update(pane: ListedPane, read: Read | null, context: PassContext): void {
    const before = this.of(pane);
    if (read === null && before && this.#isAsBefore(before, pane, context)) return;
    const record = this.updated(pane, read, context);
    if (record) this.#records.set(pane.identity, record);
  }

  /** What `update` makes of it; null where nothing was ever read of the pane. */
  updated(pane: ListedPane, read: Read | null, context: PassContext): PaneRecord | null {
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

  #note(pane: ListedPane, noted: Partial<PaneRecord>, context: PassContext): void {
    const before = this.of(pane);
    if (!before) return;
    const record = this.#observed({ ...before, ...noted }, before, context);
    this.#records.set(pane.identity, { ...record, isAtRest: false });
  }

  /** Whether something was sent to a pane, and nothing is known yet of what came of it. */
  isAwaited(pane: ListedPane): boolean {
    return (this.of(pane)?.sentAt ?? null) !== null;
  }

  /** Whether the program that was sent for runs on. */
  markRunning(pane: ListedPane, runsOn: boolean): void {
    this.#amend(pane, { runsOn });
  }

  /** A pass failed: what went on meanwhile was not watched. */
  failed(): void {
    for (const { pane, work } of this.#records.values())
      if (work.run) this.#amend(pane, { work: unwatched(work) });
  }

  #amend(pane: ListedPane, members: Partial<PaneRecord>): void {
    const record = this.of(pane);
    if (record) this.#records.set(pane.identity, { ...record, ...members });
  }

  /** The last capture of a pane, where the same one would change nothing. */
  lastCapture(pane: ListedPane, context: PassContext): CapturedPane | null {
    const record = this.of(pane);
    if (!record?.isFresh || record.captureLines !== context.captureLines) return null;
    if (!hasSameBasis(record, pane, context)) return null;
    return { pane, captured: record.pane, at: record.at, text: record.capture.text };
  }

  /** Whether a capture says nothing new, or nothing at all, so that there is nothing to interpret. */
  isKnown(pane: ListedPane, capture: Capture | Error, context: PassContext): boolean {
    const record = this.of(pane);
    if (!record) return false;
    if (capture instanceof Error) return true;
    return isSameCapture(record.capture, capture) && hasSameBasis(record, pane, context);
  }

  /** The screens of a capture; what was parsed before is the same object. */
  screensOf(pane: ListedPane, capture: Capture | Error): Screens {
    return screensOf(capture instanceof Error ? NOTHING : capture, this.of(pane) ?? undefined);
  }

  /** Where the agent is known, what was read of its processes a moment ago will do for now. */
  ageOfProcesses(pane: ListedPane): "recent" | "now" {
    const record = this.of(pane);
    const isKnown = record !== null && record.finding.agent !== null;
    return isKnown && record.pane.command === pane.command ? "recent" : "now";
  }

  /**
   * The last capture and what its finding was told of the processes, where they may be others by now:
   * soon after a change of the screen, and where the kernel tells of a question without one.
   */
  mayHaveOthers(pane: ListedPane, context: PassContext): PaneRecord | null {
    const record = this.of(pane);
    if (!record || (record.processesUntil === null && !record.asksTerminal)) return null;
    if (record.processesUntil !== null && context.monotonic >= record.processesUntil)
      this.#amend(pane, { processesUntil: null });
    return record;
  }

  /** Nothing that a state is made from differs, and time has nothing to add. */
  #isAsBefore(record: PaneRecord, pane: ListedPane, context: PassContext): boolean {
    const { isAtRest, override, state } = record;
    if (!isAtRest || record.pane !== pane || state.host !== context.host) return false;
    if (override !== context.overrides.get(pane.target)) return false;
    if (state.agent_id !== this.#agentIn(pane)) return false;
    const { continue_then, queued, act } = this.#deliveriesTo(pane);
    if (state.continue_then !== continue_then || state.queued !== queued || state.act !== act)
      return false;
    return (override?.name || this.#deps.nameOf(pane, state)) === state.name;
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
    const { at, monotonic, overrides, host } = context;
    const { pane } = now;
    const { info } = this.#deps.provider;
    const override = overrides.get(pane.target) ?? null;
    const sentAt = sentBefore(now);
    const look = {
      ...now,
      ...{ at, monotonic, override, host },
      nameOf: (facts: { kind: PaneKind; lines: readonly string[] }) =>
        override?.name || this.#deps.nameOf(pane, facts),
      deliveries: this.#deliveriesTo(pane),
      agentId: this.#agentIn(pane),
      isAwaited: sentAt !== null,
      provider: info.id,
      mayAct: !info.caution,
    };
    return { ...now, sentAt, ...observe(look, before) };
  }
}
