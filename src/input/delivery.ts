import type { Prompt } from "../detect/finding.ts";
import { AppError } from "../errors.ts";
import type { GuardConflict } from "../protocol/input.ts";
import type { InputStep, ListedPane, SendGuard, TerminalProvider } from "../terminal/provider.ts";
import type { Reading } from "../terminal/reading.ts";
import { guardOf } from "./guard.ts";
import { refused } from "./refused.ts";

export interface DeliveryDeps {
  provider: Pick<TerminalProvider, "send">;
  poller: { read(id: string): Promise<Reading | null> };
  pause(ms: number): Promise<void>;
}

/** Null accepts a reading; a reason refuses it; "wait" looks again for a moment. */
export type Accept = (now: Reading) => GuardConflict["reason"] | "wait" | null;

const MAX_ATTEMPTS = 3;
/** With the captures between them about half a second: what a program needs to draw. */
const MAX_LOOKS = 16;
const LOOK_AGAIN_MS = 25;
const LEAST_TEXTS = 3;

/** Sends to one pane what fits the prompt that it shows, turn by turn. */
export class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #id: string;
  readonly #listed: string | null;
  #identity: string | null;
  #hasSent = false;
  #sentTo: Prompt | null = null;

  /** `listed` is the pane as the last pass saw it; null when no pass has listed it. */
  constructor(deps: DeliveryDeps, id: string, listed: Pick<ListedPane, "identity"> | null) {
    this.#deps = deps;
    this.#id = id;
    this.#listed = listed?.identity ?? null;
    this.#identity = this.#listed;
  }

  /** Something has reached the program, although the rest may have been refused. */
  get hasSent(): boolean {
    return this.#hasSent;
  }

  /** The prompt that the first part went to. */
  get sentTo(): Prompt | null {
    return this.#sentTo;
  }

  pause(ms: number): Promise<void> {
    return this.#deps.pause(ms);
  }

  /**
   * @throws AppError `invalid` when the pane is gone, cannot be read, or has another program than
   * before: two programs that ask nothing look alike.
   */
  async read(): Promise<Reading> {
    const reading = await this.#deps.poller.read(this.#id).catch((cause: unknown) => {
      throw refused(`cannot read pane ${this.#id}`, cause);
    });
    if (!reading) throw refused(`can't find pane: ${this.#id}`);
    this.#identity ??= reading.pane.identity;
    if (reading.pane.identity !== this.#identity) throw refused(anotherProgram(this.#id));
    return reading;
  }

  /**
   * The first fresh reading that is accepted.
   * @throws AppError `conflict` with the reason and the current state
   */
  async require(accept: Accept): Promise<Reading> {
    for (let look = 1; ; look++) {
      const now = await this.read();
      // A program that is drawing shows no dialog whole: what comes of it is seen in a moment.
      const isLast = look === MAX_LOOKS;
      const answer = now.isUnsettled && !isLast ? "wait" : accept(now);
      if (answer === null) return now;
      if (answer !== "wait") throw this.#conflict(answer, now);
      if (isLast) throw this.#conflict("options_changed", now);
      await this.pause(LOOK_AGAIN_MS);
    }
  }

  /** Sends in the turn in which the screen still shows what was accepted, or not at all. */
  async send(steps: readonly InputStep[], accept: Accept): Promise<Reading> {
    for (let attempt = 1; ; attempt++) {
      const now = await this.require(accept);
      const guard = attempt < MAX_ATTEMPTS ? guardOf(now) : leastGuard(now);
      const outcome = await this.#deps.provider.send(this.#id, steps, guard);
      if (outcome !== "refused") {
        if (!this.#hasSent) this.#sentTo = now.prompt;
        this.#hasSent = true;
        if (outcome === "unknown") throw refused(UNCERTAIN);
        return now;
      }
      if (attempt === MAX_ATTEMPTS) throw this.#conflict("prompt_changed", await this.read());
    }
  }

  /**
   * Sends without a look at the screen, but to no other program than the one that was listed: a
   * restarted multiplexer gives the same ids to other panes.
   */
  async sendPlain(steps: readonly InputStep[]): Promise<void> {
    const guard = this.#listed === null ? null : { identity: this.#listed, contains: [] };
    const outcome = await this.#deps.provider.send(this.#id, steps, guard);
    if (outcome === "refused") throw refused(anotherProgram(this.#id));
    this.#hasSent = true;
    if (outcome === "unknown") throw refused(UNCERTAIN);
  }

  #conflict(reason: GuardConflict["reason"], { state }: Reading): AppError {
    const detail: GuardConflict = this.#hasSent
      ? { reason: "partial_delivery_unknown", message: STAGED, current: state }
      : { reason, current: state };
    return new AppError("conflict", `${this.#id} shows something else: ${reason}`, detail);
  }
}

const UNCERTAIN =
  "The multiplexer did not say whether this arrived. Look at the terminal before sending it again.";

const STAGED =
  "The first part of the answer reached the pane, then its screen changed. Nothing further was sent.";

// The texts of a guard may be out of view or move without end (a spinner) while the prompt, by its
// fingerprints, is the same: then its last rows have to do, and without a prompt the process alone.
function leastGuard(now: Reading): SendGuard {
  const { identity, contains } = guardOf(now);
  return { identity, contains: now.prompt ? contains.slice(-LEAST_TEXTS) : [] };
}

function anotherProgram(id: string): string {
  return `another program runs in pane ${id} now`;
}
