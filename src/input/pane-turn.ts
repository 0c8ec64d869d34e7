import { fingerprints } from "../detect/prompt.ts";
import { AppError } from "../errors.ts";
import { stripControls } from "../lib/words.ts";
import type { OpenAct } from "../ledger/ledger.ts";
import { firstCharacters } from "../protocol/characters.ts";
import type { GuardConflict } from "../protocol/input.ts";
import type { PaneState } from "../protocol/pane.ts";
import type {
  InputStep,
  ListedPane,
  SendGuard,
  SendOutcome,
  TerminalProvider,
} from "../terminal/provider.ts";
import type { PaneReading } from "../terminal/reading.ts";
import { guardOf } from "./guard.ts";
import { invalidInput } from "./refusals.ts";

export interface PaneTurnDeps {
  provider: Pick<TerminalProvider, "send">;
  poller: {
    read(id: string): Promise<PaneReading | null>;
    lastReading?(id: string): PaneReading | null;
  };
  pause(ms: number): Promise<void>;
  answeredPrompts: AnsweredPrompts;
  /** Begun before anything is sent. */
  act: Pick<OpenAct, "begin">;
  publishedState(id: string): PaneState | null;
  /** An option of a recognised dialog was taken. */
  noteChoice?(first: PaneReading, label: string): void;
}

/** The pane of an action: its live id, and its entry in the last listing, if there is one. */
export interface InputTarget {
  id: string;
  listed: ListedPane | null;
}

const MAX_REASON_CHARS = 300;
/** Null accepts a reading, a reason refuses it, "wait" asks for another one. */
export type Accept = (now: PaneReading) => GuardConflict["reason"] | "wait" | null;

const MAX_ATTEMPTS = 3;
/** With the time of the readings about half a second, which a program may need to draw. */
const MAX_LOOKS = 16;
/** Two seconds: on a busy machine the program draws later, and half an answer helps nobody. */
const MAX_LOOKS_BETWEEN_PARTS = 81;
const LOOK_AGAIN_MS = 25;
const LEAST_TEXTS = 3;

/** The turn of one action at its pane: no other action reads or sends there meanwhile. */
export class PaneTurn {
  readonly target: InputTarget;
  readonly #deps: PaneTurnDeps;
  #identity: string | null;
  #hasSent = false;
  #hasArrived = false;
  #sentTo: PaneReading | null = null;
  /** The last reading, until a send or a pause outdates it. */
  #fresh: PaneReading | null = null;

  constructor(deps: PaneTurnDeps, target: InputTarget) {
    this.#deps = deps;
    this.target = target;
    this.#identity = target.listed?.identity ?? null;
  }

  /** Something was delivered or may have been. */
  get hasSent(): boolean {
    return this.#hasSent;
  }

  get hasArrived(): boolean {
    return this.#hasArrived;
  }

  get publishedState(): PaneState | null {
    return this.#deps.publishedState(this.target.id);
  }

  pause(ms: number): Promise<void> {
    this.#fresh = null;
    return this.#deps.pause(ms);
  }

  /** @throws AppError `invalid` when the pane is gone, unreadable, or runs another program */
  async read(): Promise<PaneReading> {
    const { id } = this.target;
    const reading = await this.#deps.poller.read(id).catch((cause: unknown) => {
      // The pane's machine is away and says so itself.
      if (cause instanceof AppError) throw cause;
      const logged = `cannot read pane ${id}`;
      const why = stripControls(String(cause instanceof Error ? cause.message : cause));
      const reason = `${logged}: ${firstCharacters(why, MAX_REASON_CHARS)}`;
      throw invalidInput("pane_unreadable", reason, { logged, cause });
    });
    if (!reading) throw invalidInput("pane_gone", `can't find pane: ${id}`);
    this.#identity ??= reading.pane.identity;
    if (reading.pane.identity !== this.#identity) throw anotherProgram(id);
    this.#fresh = reading;
    return reading;
  }

  /** Reads until `accept` accepts. @throws AppError `conflict` with the current state */
  async require(accept: Accept): Promise<PaneReading> {
    for (let look = 1; ; look++) {
      const now = this.#fresh ?? (await this.read());
      // While a program draws, a dialog may be incomplete.
      const isLast = look >= (this.#hasSent ? MAX_LOOKS_BETWEEN_PARTS : MAX_LOOKS);
      const answer = now.isUnsettled && !isLast ? "wait" : accept(now);
      if (answer === null) return now;
      if (now.passText !== undefined) {
        this.#fresh = null;
        continue;
      }
      if (answer !== "wait") throw this.#conflict(answer, now);
      if (isLast) throw this.#conflict("options_changed", now);
      await this.pause(LOOK_AGAIN_MS);
    }
  }

  /** Waits while a prompt that was just answered is shown, and makes the next answer wait for this one. */
  async answer<T>(work: () => Promise<T>, { waits = true } = {}): Promise<T> {
    if (waits && !this.#useLastReading()) await this.#untilOpen();
    try {
      return await work();
    } finally {
      const { answeredPrompts } = this.#deps;
      if (this.#sentTo?.prompt) answeredPrompts.mark(this.target.id, facts(this.#sentTo));
    }
  }

  /** The last pass has read it, and its machine compares that before it sends: one round trip there. */
  #useLastReading(): boolean {
    const { poller, answeredPrompts } = this.#deps;
    const { id } = this.target;
    const reading = answeredPrompts.isRecent(id) ? null : (poller.lastReading?.(id) ?? null);
    if (reading === null || reading.pane.identity !== this.#identity) return false;
    this.#fresh = reading;
    return true;
  }

  async #untilOpen(): Promise<void> {
    const { id } = this.target;
    for (;;) {
      const now = this.#fresh ?? (await this.read());
      if (!this.#deps.answeredPrompts.isStillShown(id, facts(now))) return;
      await this.pause(LOOK_AGAIN_MS);
    }
  }

  noteChoice(first: PaneReading, label: string): void {
    this.#deps.noteChoice?.(first, label);
  }

  /** One multiplexer command compares the screen with the accepted reading, and sends. */
  async send(steps: readonly InputStep[], accept: Accept): Promise<PaneReading> {
    for (let attempt = 1; ; attempt++) {
      const now = await this.require(accept);
      const { pane, passText } = now;
      const screen = passText === undefined ? {} : { screen: { pane, text: passText } };
      const guard = attempt < MAX_ATTEMPTS ? { ...guardOf(now), ...screen } : leastGuard(now);
      const outcome = await this.#deliver(steps, guard, now);
      if (outcome === "unknown") throw invalidInput("delivery_unknown", UNCERTAIN);
      if (outcome === "sent") return now;
      if (passText !== undefined) attempt -= 1;
      if (attempt === MAX_ATTEMPTS) throw this.#conflict("prompt_changed", await this.read());
    }
  }

  /** Sends unread, but only to the listed program: a new server gives the same pane ids again. */
  async sendPlain(steps: readonly InputStep[]): Promise<void> {
    const { id, listed } = this.target;
    const guard = listed && { identity: listed.identity, contains: [] };
    const outcome = await this.#deliver(steps, guard);
    if (outcome === "refused") throw anotherProgram(id);
    if (outcome === "unknown") throw invalidInput("delivery_unknown", UNCERTAIN);
  }

  /** Every way of sending ends here. @param seen the reading that is answered */
  async #deliver(
    steps: readonly InputStep[],
    guard: SendGuard | null,
    seen: PaneReading | null = null,
  ): Promise<SendOutcome> {
    this.#fresh = null;
    const { act, provider } = this.#deps;
    await act.begin(seen?.state ?? this.publishedState);
    const outcome = await provider.send(this.target.id, steps, guard);
    if (outcome === "refused") return outcome;
    this.#hasSent = true;
    this.#hasArrived ||= outcome === "sent";
    this.#sentTo ??= seen;
    return outcome;
  }

  #conflict(reason: GuardConflict["reason"], { state }: PaneReading): AppError {
    const detail: GuardConflict = this.#hasSent
      ? {
          reason: "partial_delivery_unknown",
          code: "partial_delivery_unknown",
          message: STAGED,
          current: state,
        }
      : { reason, code: reason, current: state };
    return new AppError("conflict", `${this.target.id} shows something else: ${reason}`, detail);
  }
}

const STAGED =
  "The first part of the answer reached the pane, but its screen does not fit the rest. Nothing further was sent.";
const UNCERTAIN =
  "The multiplexer did not say whether this arrived. Look at the terminal before sending it again.";

// Words and focus, no styles: a mark that blinks above its dialog does not mean a redraw.
function facts({ prompt, screen }: PaneReading): { prompt: string; screen: string } {
  return {
    prompt: Object.values(fingerprints(prompt)).join(" "),
    screen: screen.lines.map(({ text }) => text.replace(/[^\p{L}\p{N}]+/gu, "")).join("\n"),
  };
}

// Under the same fingerprints the texts of a guard may scroll away or never rest (a spinner). The
// last attempt compares the prompt's last rows, or without a prompt the program alone, where it is an
// agent: a shell runs other programs all the time.
function leastGuard(now: PaneReading): SendGuard {
  const { identity, contains, aboveCursor: _, ...program } = guardOf(now);
  const least = now.prompt ? contains.slice(-LEAST_TEXTS) : [];
  return { identity, ...(now.prompt || now.state.agent ? program : {}), contains: least };
}

const anotherProgram = (id: string) =>
  invalidInput("other_program", `another program runs in pane ${id} now`);

/** Without a redraw for so long, the program has ignored the answer or asks the same again. */
const BLOCKS_FOR_MS = 1000;

interface AnsweredPrompt {
  prompt: string;
  screen: string;
  untilMs: number;
}

/**
 * Prompts that were just answered. Until the program redraws, such a prompt looks unanswered, and a
 * second client's answer would go to whatever the program shows next. The same question asked again
 * is told apart by a changed screen in between, or by the time that has passed.
 */
export class AnsweredPrompts {
  readonly #nowMs: () => number;
  readonly #last = new Map<string, AnsweredPrompt>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  mark(id: string, answered: Pick<AnsweredPrompt, "prompt" | "screen">): void {
    for (const known of this.#last.keys()) if (!this.isRecent(known)) this.#last.delete(known);
    this.#last.set(id, { ...answered, untilMs: this.#nowMs() + BLOCKS_FOR_MS });
  }

  isRecent(id: string): boolean {
    return this.#newest(id) !== null;
  }

  isStillShown(id: string, now: Pick<AnsweredPrompt, "prompt" | "screen">): boolean {
    const last = this.#newest(id);
    if (last === null) return false;
    if (last.screen === now.screen) return last.prompt === now.prompt;
    this.#last.delete(id);
    return false;
  }

  #newest(id: string): AnsweredPrompt | null {
    const last = this.#last.get(id);
    return last && this.#nowMs() < last.untilMs ? last : null;
  }
}
