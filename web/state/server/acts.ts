import type { Signal } from "@preact/signals";
import { holdsAnswers, refusedAnswer, type Answer, type Submission } from "../../model/answer.ts";
import {
  expectedOf,
  guardOf,
  NO_PROMPT,
  promptOf,
  SHIELD_MS,
  signatureOf,
} from "../../model/guard.ts";
import {
  canSelect,
  canWrite,
  isGuarded,
  takesKey,
  waits,
  type MenuOption,
  type Pane,
} from "../../model/pane.ts";
import {
  isPartial,
  isUncertain,
  reasonOf,
  type Failure,
  type LockToken,
  type Result,
} from "../../net/api.ts";
import { Part } from "./part.ts";

/** An older snapshot is fetched again before an answer leaves. */
const FRESH_MS = 1500;

/** In monotonic milliseconds. */
export interface PressTimes {
  readonly pressedAt: number;
  /** When the card last changed or moved. */
  readonly steadySince: number;
}

export interface KeyPress extends PressTimes {
  readonly shown: Pane;
}

export interface Press extends KeyPress {
  readonly option: MenuOption | null;
  /** Own words for a freeform option or as the whole answer; for a key its name. */
  readonly text: string | null;
  readonly label: string;
  /** For a picked answer: whether the prompt is still the same, beyond the signature. */
  readonly stands?: (latest: Pane) => boolean;
}

/** An answer needs the same signature as was shown, keys and texts the same prompt. */
interface PendingAct extends Submission, Press {
  readonly operation: "select" | "text" | "key";
  readonly isAnswer: boolean;
  readonly outcome: Signal<Answer | null>;
  /** How long its card stood still; 0 when it moved under the finger. */
  readonly steadyMs: number;
}

/**
 * Only `send` sends. `changed`: another prompt is open; `moved`: the same one, but too recently.
 */
type Verdict = "send" | "preflight" | "changed" | "moved" | "read_only";

/**
 * Answers, keys and texts to panes. Each is judged against the screen at the press, leaves once
 * through the outbox, and is never sent again by itself.
 */
export class Acts extends Part {
  /** By pane, the last key or text that is under way. */
  readonly #tails = new Map<string, Promise<Answer | null>>();

  /** Whether a press may arm an option; where not, the card says why. */
  admits(press: Press): boolean {
    const { answers, outbox } = this.server;
    const { id } = press.shown;
    if (holdsAnswers(answers.of(id).value) || outbox.isHeld(id)) return false;
    const act = this.#sending(press, operationOf(press), true);
    const verdict = this.#judge(act);
    if (verdict === "changed" || verdict === "moved") this.#say(act, verdict);
    return verdict === "send" || verdict === "preflight";
  }

  async answer(press: Press): Promise<Answer | null> {
    const { answers, browser } = this.server;
    if (holdsAnswers(answers.of(press.shown.id).value)) return null;
    const outcome = await this.#run(this.#sending(press, operationOf(press), true));
    if (outcome?.step !== "sent") return outcome;
    if (press.text !== null) answers.clearDraft(press.shown, press.text);
    browser.install.answered();
    answers.advance();
    return outcome;
  }

  key(press: KeyPress, key: string): Promise<Answer | null> {
    return this.#inTurn(press, "key", key);
  }

  /**
   * With Enter. Over a prompt it answers the prompt that was shown; without one the server refuses
   * it when a prompt has appeared meanwhile.
   */
  text(press: KeyPress, text: string): Promise<Answer | null> {
    return this.#inTurn(press, "text", text);
  }

  #sending(press: Press, operation: PendingAct["operation"], isAnswer: boolean): PendingAct {
    const { shown, pressedAt, steadySince } = press;
    const { answers, sid } = this.server;
    return {
      ...{ ...press, operation, isAnswer, session: sid.peek() },
      outcome: isAnswer ? answers.of(shown.id) : answers.inputOutcome(shown.id),
      steadyMs: steadySince > pressedAt ? 0 : this.server.nowMs() - steadySince,
    };
  }

  /** A later key waits for the earlier one, and is dropped when that did not arrive. */
  #inTurn(press: KeyPress, operation: "key" | "text", text: string): Promise<Answer | null> {
    const { shown } = press;
    const act = this.#sending({ ...press, option: null, text, label: text }, operation, false);
    const run = () => this.#run(act);
    const before = this.#tails.get(shown.id);
    const turn =
      before === undefined
        ? run()
        : before.then((outcome) => (outcome?.step === "sent" ? run() : outcome));
    this.#tails.set(shown.id, turn);
    const end = () => {
      if (this.#tails.get(shown.id) === turn) this.#tails.delete(shown.id);
    };
    turn.then(end, end);
    return turn;
  }

  async #run(act: PendingAct): Promise<Answer | null> {
    const { link, outbox } = this.server;
    const { operation, isAnswer, outcome, shown, text } = act;
    const { id } = shown;
    const lock = outbox.acquire([id], act.label, operation !== "key" && text !== null);
    if (lock === null) {
      const why: Answer | null = outbox.isDoubted(id)
        ? { step: "uncertain", sent: act, isPart: false }
        : refusedAnswer("");
      // For an answer the card shows what is under way already.
      if (!isAnswer && why.step === "refused") outcome.value = why;
      return isAnswer ? null : why;
    }
    let hasLeft = false;
    try {
      let verdict = this.#judge(act);
      if (verdict === "preflight") {
        outcome.value = { step: "sending", sent: act };
        const isFresh = await link.refresh();
        outcome.value = null;
        if (!isFresh) return this.#say(act, "no_connection");
        verdict = this.#judge(act);
      }
      if (verdict === "changed" || verdict === "moved") return this.#say(act, verdict);
      if (verdict !== "send") return isAnswer ? null : (outcome.value = refusedAnswer(""));
      outcome.value = { step: "sending", sent: act };
      hasLeft = true;
      const result = await lock.send((lockToken, key, abort) =>
        this.#call(lockToken, act, key, abort),
      );
      if (!result.ok) return this.#failed(act, result.failure);
      const at = this.server.nowMs();
      return (outcome.value = { step: "sent", sent: act, key: lock.key, at, confirmed: false });
    } catch (fault) {
      // The doubt about the pane says that it may have arrived.
      outcome.value = null;
      throw fault;
    } finally {
      if (!hasLeft) lock.release();
    }
  }

  /** Against what the person read before the press: else it would hit something else. */
  #judge(act: PendingAct): Verdict {
    const { canAnswer, panes } = this.server;
    if (!canAnswer.value) return "read_only";
    const { shown, isAnswer, stands } = act;
    const see = isAnswer ? signatureOf : promptOf;
    const latest = panes.latest(shown.id);
    if (latest === null || stands?.(latest) === false || see(latest) !== see(shown))
      return "changed";
    if (!isTaken(latest, act)) return "read_only";
    if (act.steadyMs < SHIELD_MS) return "moved";
    return panes.ageMs() > FRESH_MS ? "preflight" : "send";
  }

  /** Shown while the prompt that is open now stays. */
  #say({ shown, outcome }: PendingAct, reason: string): Answer | null {
    const latest = this.server.panes.latest(shown.id);
    return (outcome.value = latest && { ...refusedAnswer(reason), signature: signatureOf(latest) });
  }

  #failed(act: PendingAct, failure: Failure): Answer | null {
    const { isAnswer, outcome } = act;
    const reason = reasonOf(failure);
    if (failure.kind === "unauthorized") return (outcome.value = null);
    if (isUncertain(failure)) {
      const doubt: Answer | null = { step: "uncertain", sent: act, isPart: isPartial(failure) };
      outcome.value = isAnswer ? doubt : null;
      return doubt;
    }
    const refused = refusedAnswer(reason);
    outcome.value = refused;
    void this.server.link.refresh().then(() => {
      if (isAnswer && outcome.peek() === refused) this.#say(act, reason);
    });
    return refused;
  }

  /** With the guard that was shown, never a newer one, by the route of the pane's kind of input. */
  async #call(
    lockToken: LockToken,
    { operation, option, shown, text }: PendingAct,
    idempotency_key: string,
    signal: AbortSignal,
  ): Promise<Result<unknown>> {
    const { api, config } = this.server;
    const { id, action_guard: guard } = shown;
    const sent = { lockToken, signal };
    const words = text ?? "";
    if (isGuarded(shown)) {
      // A guarded pane that was shown without its guard gets nothing.
      if (guard === null) throw new Error(`no guard was shown for ${id}`);
      const expected = operation === "key" ? guardOf(shown, guard, words) : guard;
      const what = {
        select: { option_id: option?.id },
        key: { key: words },
        text: { text: words, enter: true },
      }[operation];
      const json = { id, idempotency_key, operation, expected, ...what };
      return api.call("POST /api/input", { ...sent, json });
    }
    const seen = option !== null || waits(shown) ? expectedOf(shown) : NO_PROMPT;
    const expected = config.has("legacy_guard_v1") ? seen : undefined;
    const common = { id, idempotency_key, expected };
    if (operation === "key")
      return api.call("POST /api/key", { ...sent, json: { ...common, key: words } });
    if (option === null)
      return api.call("POST /api/text", { ...sent, json: { ...common, text: words, enter: true } });
    const json = { ...common, key: option.key, text: text ?? undefined };
    return api.call("POST /api/select", { ...sent, json });
  }
}

const operationOf = ({ option }: Press) => (option === null ? "text" : "select");

function isTaken(pane: Pane, { operation, option, text }: PendingAct): boolean {
  if (operation === "key") return takesKey(pane, text ?? "");
  if (option === null) return canWrite(pane);
  return canSelect(pane, option) && (text === null || canWrite(pane));
}
