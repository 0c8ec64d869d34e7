import { detectComposer } from "../detect/composer.ts";
import type { Log } from "../lib/log.ts";
import type { ProviderHealth } from "../protocol/config.ts";
import type { Interpreter } from "./reread.ts";
import type { PaneRecord, PassContext } from "./record.ts";
import { printable } from "../lib/words.ts";
import { type Capture, type ListedPane, ProviderError, type TerminalProvider } from "./provider.ts";
import type { FreshRead } from "./reading.ts";
import type { Records } from "./records.ts";

interface PassDeps {
  provider: Pick<TerminalProvider, "capture" | "unchanged">;
  interpreter: Interpreter;
  records: Records;
}

/** One pane as it was captured; an Error where that failed. */
interface Captured {
  pane: ListedPane;
  capture: Capture | Error;
}

/** Panes that are interpreted in one go. */
const SLICE = 20;

/** Whom to capture, and what becomes of it: interpreted where it says anything new, and recorded. */
export class Pass {
  readonly #deps: PassDeps;

  constructor(deps: PassDeps) {
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
    context: PassContext,
    signal: AbortSignal,
  ): Promise<Set<string>> {
    const { provider, records, interpreter } = this.#deps;
    for (const pane of panes)
      if (records.isAwaited(pane)) records.markRunning(pane, await interpreter.runsOn(pane));
    const known = panes.flatMap((pane) => {
      const last = forced.has(pane.id) ? null : records.lastCapture(pane, context);
      return last ? [last] : [];
    });
    const unchanged = await provider.unchanged(known, context.monotonic, signal);
    const quiet = known.map(({ pane }) => pane).filter(({ id }) => unchanged.has(id));
    const held = new Set(quiet);
    const due = panes.filter((pane) => !held.has(pane));
    const gone = await this.read(due, context, signal);
    for (const pane of quiet) records.update(pane, null, context);
    await this.#interpretLate(quiet, context);
    return gone;
  }

  /**
   * Captures panes and takes in what they show.
   * @returns the ids of those that are gone
   */
  async read(
    panes: readonly ListedPane[],
    context: PassContext,
    signal: AbortSignal,
  ): Promise<Set<string>> {
    if (panes.length === 0) return new Set();
    const captures = await this.#deps.provider.capture(panes, context.captureLines, signal);
    const captured = panes.flatMap((pane) => {
      const capture = captures.get(pane.id);
      return capture ? [{ pane, capture }] : [];
    });
    await this.take(captured, context);
    return new Set(panes.map(({ id }) => id).filter((id) => !captures.has(id)));
  }

  /** Takes in what was captured. */
  async take(captured: readonly Captured[], context: PassContext): Promise<void> {
    const { records } = this.#deps;
    const fresh: Captured[] = [];
    for (const each of captured) {
      const { pane, capture } = each;
      if (!records.isKnown(pane, capture, context)) fresh.push(each);
      else records.update(pane, { capture, said: null }, context);
    }
    await this.#interpretAll(fresh, context);
  }

  async reading(pane: ListedPane, capture: Capture, context: PassContext): Promise<FreshRead> {
    const [said] = await this.#interpret([{ pane, capture }], context);
    // What stands there now counts, also where the patterns gave no answer in time.
    const read = said && { capture, said: { ...said, isComplete: true } };
    const record = read && this.#deps.records.updated(pane, read, context);
    if (!record) throw new Error(`${pane.id} was not interpreted`);
    const composer = record.composer ?? detectComposer(said.input, said.finding);
    return readingOf({ ...record, composer }, context);
  }

  /** What the last pass has read of a pane; null where its capture would not do any more. */
  recalled(pane: ListedPane, context: PassContext): FreshRead | null {
    const { records } = this.#deps;
    const last = records.lastCapture(pane, context);
    const record = records.of(pane);
    return last && record && { ...readingOf(record, context), pane, recalled: last.text };
  }

  /** Interprets the screens anew behind which other processes have come up since they were read. */
  async #interpretLate(quiet: readonly ListedPane[], context: PassContext): Promise<void> {
    const { interpreter, records } = this.#deps;
    const late: Captured[] = [];
    for (const pane of quiet) {
      const before = records.mayHaveOthers(pane, context);
      if (!before) continue;
      const { capture, processes, asksTerminal } = before;
      if ((await interpreter.processesOf(pane, asksTerminal)) === processes) continue;
      late.push({ pane, capture });
    }
    await this.#interpretAll(late, context);
  }

  async #interpretAll(captured: readonly Captured[], context: PassContext): Promise<void> {
    for (let start = 0; start < captured.length; start += SLICE) {
      // A large fleet that prints takes a while to read: let requests in between.
      if (start > 0) await nextTick();
      const slice = captured.slice(start, start + SLICE);
      for (const said of await this.#interpret(slice, context))
        this.#deps.records.update(said.pane, { capture: said.capture, said }, context);
    }
  }

  #interpret(captured: readonly Captured[], { overrides, patterns }: PassContext) {
    const { interpreter, records } = this.#deps;
    const subjects = captured.map(({ pane, capture }) => ({
      ...{ pane, capture, ...records.screensOf(pane, capture) },
      kindOverride: overrides.get(pane.target)?.kind ?? null,
      age: records.ageOfProcesses(pane),
    }));
    return interpreter.interpret(subjects, patterns);
  }
}

function readingOf(record: PaneRecord, { monotonic }: PassContext): FreshRead {
  const { pane, state, composer, screen, finding, isUnsettled, decidingSince } = record;
  const lineAge = monotonic - decidingSince;
  return { pane, state, prompt: finding.prompt, composer, screen, finding, isUnsettled, lineAge };
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const MAX_ERROR_CHARS = 300;
const MAX_TOLD_CAUSES = 8;

type Health = Pick<ProviderHealth, "status" | "last_success_at" | "last_error" | "message">;

/** What the last passes say of the multiplexer; each cause of a failure is logged once. */
export class PassHealth {
  readonly #log: Log;
  readonly #told = new Set<string>();
  #current: Health = { status: "unavailable", last_success_at: 0, last_error: null };

  constructor(log: Log) {
    this.#log = log;
  }

  get current(): Health {
    return this.#current;
  }

  /** A pass succeeded; `caution` is why the panes are shown but not answered. */
  succeeded(at: number, caution: ProviderError | null): void {
    if (this.#told.size > 0) this.#log.info("the multiplexer answers again");
    this.#told.clear();
    this.#current = {
      status: caution?.health ?? "ready",
      last_success_at: at,
      last_error: caution?.lastError ?? null,
      ...(caution ? { message: caution.message } : {}),
    };
  }

  failed(error: unknown): void {
    const isTold = error instanceof ProviderError;
    const message = shown(error instanceof Error ? error.message : String(error));
    const last_error = isTold ? shown(error.lastError) : message;
    // A multiplexer that is away for a night fills no log.
    if (!this.#told.has(last_error) && this.#told.size < MAX_TOLD_CAUSES) {
      this.#told.add(last_error);
      this.#log.warn(`a pass failed, the last snapshot stays: ${message}`);
    }
    const status = isTold ? error.health : "degraded";
    this.#current = { ...this.#current, status, last_error, message };
  }
}

const shown = (text: string): string => printable(text).slice(0, MAX_ERROR_CHARS);

/**
 * When a pane is looked at again after an action. Its echo comes late, and more often than not right
 * after the first look; what is seen first may be half drawn, so that a change does not end the looks.
 */
const LOOKS_MS = [10, 30, 80, 200];

/** Looks again at panes that were acted on. */
export class Recheck {
  readonly #timers = new Map<string, Set<Timer>>();
  readonly #onDue: (id: string) => void;

  constructor(onDue: (id: string) => void) {
    this.#onDue = onDue;
  }

  begin(id: string): void {
    this.#end(id);
    const timers = new Set<Timer>();
    this.#timers.set(id, timers);
    for (const delayMs of LOOKS_MS) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        if (timers.size === 0) this.#timers.delete(id);
        this.#onDue(id);
      }, delayMs);
      timers.add(timer);
    }
  }

  endAll(): void {
    for (const id of [...this.#timers.keys()]) this.#end(id);
  }

  #end(id: string): void {
    for (const timer of this.#timers.get(id) ?? []) clearTimeout(timer);
    this.#timers.delete(id);
  }
}
