import { signal, type Signal } from "@preact/signals";
import {
  advance,
  holdsAnswers,
  UNTOUCHED_MS,
  type Answer,
  type Conflict,
  type Sent,
} from "../model/answer.ts";
import { expectedOf, judgeAnswer, signatureOf } from "../model/guard.ts";
import { isGuarded, type MenuOption, type Pane } from "../model/pane.ts";
import { reasonOf, type Api, type Failure, type Result } from "../net/api.ts";
import type { Panes } from "./panes.ts";

/** What a person pressed, and what was on the screen when the press began. */
export interface Press {
  /** The pane as it was rendered when the press began. */
  readonly pane: Pane;
  readonly option: MenuOption | null;
  /** The reader's own words: for a freeform option, or as the whole answer. */
  readonly text: string | null;
  readonly label: string;
  /** Monotonic milliseconds when the card last changed or moved. */
  readonly steadySince: number;
}

export interface AnswersDeps {
  readonly api: Api;
  readonly panes: Panes;
  readonly nowMs: () => number;
  readonly connected: () => boolean;
  readonly refresh: () => Promise<boolean>;
  readonly hasGuard: () => boolean;
  readonly onUnauthorized: () => void;
  readonly onSent: (press: Press) => void;
  readonly uuid: () => string;
}

export type Outcome = "sent" | "not_sent" | "uncertain";

/** Answers under way. Sends only what the guard admits, once, and never again by itself. */
export class Answers {
  readonly #deps: AnswersDeps;
  readonly #answers = new Map<string, Signal<Answer | null>>();
  #touchedAt = 0;

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

  /** The person touched the screen: cards that are done wait before they collapse. */
  touched(): void {
    this.#touchedAt = this.#deps.nowMs();
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
    return this.#deps.nowMs() - this.#touchedAt >= UNTOUCHED_MS;
  }

  /** The terminal of this pane has been opened; answers return with the next snapshot. */
  async inspect(id: string): Promise<void> {
    const answer = this.of(id);
    if (answer.value?.step !== "uncertain") return;
    if (!(await this.#deps.refresh())) return;
    if (answer.value?.step === "uncertain") answer.value = null;
  }

  /** Sends an answer if all conditions of the guard hold; says on the card why not. */
  async send(press: Press): Promise<Outcome> {
    const { id } = press.pane;
    const pressed = signatureOf(press.pane);
    const steadyMs = this.#deps.nowMs() - press.steadySince;
    let verdict = this.#judge(id, pressed, steadyMs);
    if (verdict === "preflight") {
      const isFresh = await this.#deps.refresh();
      verdict = isFresh ? this.#judge(id, pressed, steadyMs) : "read_only";
    }
    if (verdict === "changed") this.of(id).value = { step: "changed", signature: pressed };
    if (verdict !== "send") return "not_sent";
    return await this.#deliver(press, pressed);
  }

  #judge(id: string, pressed: string, steadyMs: number) {
    return judgeAnswer({
      pressed,
      pane: this.#deps.panes.latest(id),
      connected: this.#deps.connected(),
      inFlight: holdsAnswers(this.of(id).value),
      steadyMs,
      snapshotAgeMs: this.#deps.nowMs() - this.#deps.panes.takenAt,
    });
  }

  async #deliver(press: Press, signature: string): Promise<Outcome> {
    const { pane, option, label } = press;
    const answer = this.of(pane.id);
    const sent: Sent = {
      key: option?.key ?? null,
      label,
      signature,
      shown: pane,
      isToggle: option !== null && option.checked !== null,
      updated: pane.updated,
      promptSince: pane.prompt_since,
    };
    answer.value = { step: "sending", sent };
    const result = await this.#call(press);
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
    const isUnknown = reason === "delivery_unknown" || reason === "partial_delivery_unknown";
    if (failure.kind === "lost" || isUnknown) {
      answer.value = { step: "uncertain", sent };
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

const CONFLICTS: ReadonlySet<string> = new Set([
  "prompt_changed",
  "options_changed",
  "endpoint_stale",
  "endpoint_moved",
  "revision_stale",
  "capability_unavailable",
]);
const isConflict = (reason: string): reason is Conflict => CONFLICTS.has(reason);
