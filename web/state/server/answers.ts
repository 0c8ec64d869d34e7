import { signal, type Signal } from "@preact/signals";
import {
  advance,
  holdsAnswers,
  UNTOUCHED_MS,
  type Answer,
  type Conflict,
  type Sent,
} from "../../model/answer.ts";
import {
  expectedOf,
  judgePress,
  signatureOf,
  steadyMs,
  type PressTimes,
  type Verdict,
} from "../../model/guard.ts";
import { canSelect, canWrite, isGuarded, type MenuOption, type Pane } from "../../model/pane.ts";
import { isUncertain, reasonOf, type Api, type Failure, type Result } from "../../net/api.ts";
import type { Doubts } from "./doubts.ts";
import type { Panes } from "./panes.ts";

/** What a person pressed, and what was on the screen when the press began. */
export interface Press extends PressTimes {
  /** The pane as it was rendered when the press began. */
  readonly pane: Pane;
  readonly option: MenuOption | null;
  /** The reader's own words: for a freeform option, or as the whole answer. */
  readonly text: string | null;
  readonly label: string;
}

export interface AnswersDeps {
  readonly api: Api;
  readonly panes: Panes;
  readonly doubts: Doubts;
  readonly nowMs: () => number;
  readonly connected: () => boolean;
  readonly refresh: () => Promise<boolean>;
  readonly hasGuard: () => boolean;
  readonly onUnauthorized: () => void;
  /** How long no hand has been on the screen: cards that are done wait before they collapse. */
  readonly untouchedMs: () => number;
  readonly onSent: (press: Press) => void;
  /** Whether a key or a text of this pane is under way, or may be. */
  readonly isTyping: (id: string) => boolean;
  readonly uuid: () => string;
}

export type Outcome = "sent" | "not_sent" | "uncertain";

/** Answers under way. Sends only what the guard admits, once, and never again by itself. */
export class Answers {
  readonly #deps: AnswersDeps;
  readonly #answers = new Map<string, Signal<Answer | null>>();

  constructor(deps: AnswersDeps) {
    this.#deps = deps;
  }

  of(id: string): Signal<Answer | null> {
    const known = this.#answers.get(id);
    if (known !== undefined) return known;
    const answer = signal<Answer | null>(null);
    this.#answers.set(id, answer);
    return answer;
  }

  /** Whether a card must keep its slot although its pane may no longer wait. */
  holds(id: string): boolean {
    const answer = this.of(id).value;
    return holdsAnswers(answer) && !this.#isDone(answer);
  }

  /** Moves every answer on after a snapshot or a tick. */
  advance(): void {
    const now = this.#deps.nowMs();
    for (const [id, answer] of this.#answers) {
      if (answer.value === null) continue;
      const pane = this.#deps.panes.latest(id);
      const next = advance(answer.value, pane, now);
      answer.value = this.#isDone(next) ? null : next;
    }
  }

  #isDone(answer: Answer | null): boolean {
    if (answer?.step !== "sent" || !answer.confirmed) return false;
    return this.#deps.untouchedMs() >= UNTOUCHED_MS;
  }

  /** Whether an answer is on its way, or may have arrived. */
  isUnderWay(id: string): boolean {
    return this.of(id).value?.step === "sending" || this.isUncertain(id);
  }

  /** Whether an answer, or part of one, may have arrived without anybody knowing. */
  isUncertain(id: string): boolean {
    return this.of(id).value?.step === "uncertain";
  }

  /** Whether answers wait until the terminal was looked at: it may have arrived, or nothing follows. */
  needsLook(id: string): boolean {
    const answer = this.of(id).value;
    if (answer?.step === "sent") return answer.late && !answer.confirmed;
    return answer?.step === "uncertain";
  }

  /** The terminal of this pane was opened and a new snapshot has come. */
  inspected(id: string): void {
    if (!this.needsLook(id)) return;
    this.of(id).value = null;
    this.#deps.doubts.end(id);
  }

  /** A key or a text for this prompt may have arrived: it may be answered already. */
  doubt(pane: Pane, label: string): void {
    this.of(pane.id).value = { step: "uncertain", sent: sentOf(pane, null, label), isPart: false };
  }

  /** Whether a press may arm an answer; says on the card why not. */
  admits(press: Press): boolean {
    const verdict = this.#judge(press, steadyMs(press, this.#deps.nowMs()));
    this.#explain(press, verdict);
    return verdict === "send" || verdict === "preflight";
  }

  /** Sends an answer if all conditions of the guard hold; says on the card why not. */
  async send(press: Press): Promise<Outcome> {
    const steady = steadyMs(press, this.#deps.nowMs());
    let verdict = this.#judge(press, steady);
    if (verdict === "preflight") {
      const { pane, option, label } = press;
      const answer = this.of(pane.id);
      answer.value = { step: "sending", sent: sentOf(pane, option, label) };
      const isFresh = await this.#deps.refresh();
      answer.value = isFresh ? null : unasked(pane);
      verdict = isFresh ? this.#judge(press, steady) : "read_only";
    }
    this.#explain(press, verdict);
    return verdict === "send" ? await this.#deliver(press) : "not_sent";
  }

  #judge(press: Press, steady: number): Verdict {
    const { id } = press.pane;
    const { option, text } = press;
    const latest = this.#deps.panes.latest(id);
    return judgePress({
      pressed: signatureOf(press.pane),
      latest: latest === null ? null : signatureOf(latest),
      isTaken:
        latest !== null &&
        (option === null || canSelect(latest, option)) &&
        (text === null || canWrite(latest)),
      connected: this.#deps.connected(),
      inFlight: holdsAnswers(this.of(id).value) || this.#deps.isTyping(id),
      steadyMs: steady,
      snapshotAgeMs: this.#deps.panes.ageMs(),
    });
  }

  #explain({ pane }: Press, verdict: Verdict): void {
    if (verdict !== "changed" && verdict !== "moved") return;
    this.of(pane.id).value = { step: "changed", signature: signatureOf(pane) };
  }

  async #deliver(press: Press): Promise<Outcome> {
    const { pane, option, label } = press;
    const answer = this.of(pane.id);
    const sent = sentOf(pane, option, label);
    answer.value = { step: "sending", sent };
    this.#deps.doubts.begin(pane.id, label);
    const result = await this.#call(press);
    if (result.ok || !isUncertain(result.failure)) this.#deps.doubts.end(pane.id);
    if (result.ok) {
      answer.value = { step: "sent", sent, at: this.#deps.nowMs(), confirmed: false, late: false };
      this.#deps.onSent(press);
      this.advance();
      return "sent";
    }
    return this.#failed(answer, sent, result.failure);
  }

  #failed(answer: Signal<Answer | null>, sent: Sent, failure: Failure): Outcome {
    if (failure.kind === "unauthorized") {
      answer.value = null;
      this.#deps.onUnauthorized();
      return "not_sent";
    }
    const reason = reasonOf(failure);
    if (isUncertain(failure)) {
      answer.value = { step: "uncertain", sent, isPart: reason === "partial_delivery_unknown" };
      return "uncertain";
    }
    answer.value = {
      step: "refused",
      conflict: isConflict(reason) ? reason : "other",
      reason,
      signature: sent.signature,
    };
    void this.#deps.refresh();
    return "not_sent";
  }

  #call({ pane, option, text }: Press): Promise<Result<unknown>> {
    const { api } = this.#deps;
    if (isGuarded(pane)) return api.guarded(this.#guardedBody(pane, option, text));
    const expected = this.#deps.hasGuard() ? expectedOf(pane) : undefined;
    if (option !== null) return api.select(pane.id, option.key, text ?? undefined, expected);
    return api.text(pane.id, text ?? "", true, expected);
  }

  /** The guard that the reader saw, never a newer one. */
  #guardedBody(pane: Pane, option: MenuOption | null, text: string | null) {
    const common = {
      id: pane.id,
      expected: pane.action_guard,
      idempotency_key: this.#deps.uuid(),
    };
    if (option !== null) return { ...common, operation: "select", option_id: option.id };
    return { ...common, operation: "text", text: text ?? "", enter: true };
  }
}

function sentOf(pane: Pane, option: MenuOption | null, label: string): Sent {
  return {
    key: option?.key ?? null,
    label,
    signature: signatureOf(pane),
    shown: pane,
    isToggle: option !== null && option.checked !== null,
    updated: pane.updated,
    promptSince: pane.prompt_since,
  };
}

/** The question whether the prompt still holds went unanswered, so nothing has left. */
const unasked = (pane: Pane): Answer => ({
  step: "refused",
  conflict: "no_connection",
  reason: "",
  signature: signatureOf(pane),
});

const CONFLICTS: ReadonlySet<string> = new Set([
  "prompt_changed",
  "options_changed",
  "endpoint_stale",
  "endpoint_moved",
  "revision_stale",
  "capability_unavailable",
]);
const isConflict = (reason: string): reason is Conflict => CONFLICTS.has(reason);
