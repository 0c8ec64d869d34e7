import { signal, type Signal } from "@preact/signals";
import { conflictOf, holdsAnswers, type Attempt } from "../../model/attempt.ts";
import type { Verdict } from "../../model/guard.ts";
import { isUncertain, reasonOf, type Failure, type Pass, type Result } from "../../net/api.ts";
import type { Claim, PaneGate } from "./pane-gate.ts";

export type Outcome = "sent" | "not_sent" | "uncertain";

/** What is answered: how it is judged, asked for again and sent. Its attempts are kept by `key`. */
export interface Subject<Sent> {
  readonly key: string;
  /** The pane whose terminal an answer reaches: a doubt is about that terminal. */
  readonly paneId: string;
  /** What a person sees as sent while it is on its way. */
  readonly sent: Sent;
  /** Words for a doubt that outlives the page. */
  readonly label: string;
  /** May the press do what it was meant to, by the newest that is known? */
  judge(): Verdict;
  /** Asks for the newest; false when nobody answered. */
  refresh(): Promise<boolean>;
  call(pass: Pass): Promise<Result<unknown>>;
  /** Signature of what stands there now, which a refusal is said of; null when it is gone. */
  current(): string | null;
}

export interface AttemptsDeps {
  readonly gate: PaneGate;
  readonly nowMs: () => number;
  readonly onUnauthorized: () => void;
}

/** Attempts under way, one for each subject. Sends only what is admitted, once, and never again by itself. */
export class Attempts<Sent> {
  readonly #deps: AttemptsDeps;
  readonly #attempts = new Map<string, Signal<Attempt<Sent> | null>>();

  constructor(deps: AttemptsDeps) {
    this.#deps = deps;
  }

  of(key: string): Signal<Attempt<Sent> | null> {
    const known = this.#attempts.get(key);
    if (known !== undefined) return known;
    const attempt = signal<Attempt<Sent> | null>(null);
    this.#attempts.set(key, attempt);
    return attempt;
  }

  clear(): void {
    for (const attempt of this.#attempts.values()) attempt.value = null;
  }

  entries(): Iterable<readonly [string, Signal<Attempt<Sent> | null>]> {
    return this.#attempts;
  }

  /** Whether an answer is on its way, was sent, or may have arrived. */
  isHeld(key: string): boolean {
    return holdsAnswers(this.of(key).value);
  }

  /** Whether nobody knows if an answer, or part of one, has arrived. */
  isUncertain(key: string): boolean {
    return this.of(key).value?.step === "uncertain";
  }

  /** Whether a press may arm an answer; says at the subject why not. */
  admits(subject: Subject<Sent>): boolean {
    if (this.isHeld(subject.key) || this.#deps.gate.isHeld(subject.paneId)) return false;
    const verdict = subject.judge();
    this.#explain(subject, verdict);
    return verdict === "send" || verdict === "preflight";
  }

  /** Sends if all conditions of the guard hold; says at the subject why not. */
  async run(subject: Subject<Sent>): Promise<Outcome> {
    const { key, paneId, label } = subject;
    const claim = this.isHeld(key) ? null : this.#deps.gate.claim([paneId], label);
    if (claim === null) return "not_sent";
    let verdict = subject.judge();
    if (verdict === "preflight") {
      const attempt = this.of(key);
      attempt.value = { step: "sending", sent: subject.sent };
      const isFresh = await subject.refresh();
      attempt.value = isFresh ? null : unasked(subject);
      verdict = isFresh ? subject.judge() : "read_only";
    }
    this.#explain(subject, verdict);
    if (verdict === "send") return this.#deliver(subject, claim);
    claim.release();
    return "not_sent";
  }

  #explain(subject: Subject<Sent>, verdict: Verdict): void {
    if (verdict !== "changed" && verdict !== "moved") return;
    const signature = subject.current();
    this.of(subject.key).value = signature === null ? null : { step: "changed", signature };
  }

  async #deliver(subject: Subject<Sent>, claim: Claim): Promise<Outcome> {
    const { sent } = subject;
    const attempt = this.of(subject.key);
    attempt.value = { step: "sending", sent };
    const result = await claim.send(
      (pass) => subject.call(pass),
      () => {
        if (attempt.value?.step === "uncertain") attempt.value = null;
      },
    );
    if (!result.ok) return this.#failed(subject, attempt, result.failure);
    attempt.value = { step: "sent", sent, at: this.#deps.nowMs(), confirmed: false };
    return "sent";
  }

  #failed(
    subject: Subject<Sent>,
    attempt: Signal<Attempt<Sent> | null>,
    failure: Failure,
  ): Outcome {
    if (failure.kind === "unauthorized") {
      attempt.value = null;
      this.#deps.onUnauthorized();
      return "not_sent";
    }
    const reason = reasonOf(failure);
    if (isUncertain(failure)) {
      const isPart = reason === "partial_delivery_unknown";
      attempt.value = { step: "uncertain", sent: subject.sent, isPart };
      return "uncertain";
    }
    const conflict = conflictOf(reason);
    const refused: Attempt<Sent> = { step: "refused", conflict, reason, signature: null };
    attempt.value = refused;
    void subject.refresh().then(() => {
      if (attempt.value !== refused) return;
      const signature = subject.current();
      attempt.value = signature === null ? null : { ...refused, signature };
    });
    return "not_sent";
  }
}

/** The question whether it still holds went unanswered, so nothing has left. */
function unasked<Sent>(subject: Subject<Sent>): Attempt<Sent> | null {
  const signature = subject.current();
  if (signature === null) return null;
  return { step: "refused", conflict: "no_connection", reason: "", signature };
}
