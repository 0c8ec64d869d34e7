import type { Signal } from "@preact/signals";
import {
  advance,
  holdsAnswers,
  isLate,
  isRead,
  type Answer,
  type Sent,
} from "../../model/answer.ts";
import {
  expectedOf,
  guardOf,
  judgePress,
  NO_PROMPT,
  promptOf,
  signatureOf,
  steadyMs,
  type PressTimes,
  type Verdict,
} from "../../model/guard.ts";
import { messageOf } from "../../model/drafts.ts";
import {
  canSelect,
  canWrite,
  isGuarded,
  takesKey,
  waits,
  type MenuOption,
  type Pane,
} from "../../model/pane.ts";
import { isUncertain, reasonOf, type Failure, type Pass, type Result } from "../../net/api.ts";
import { Signals } from "../signals.ts";
import type { Doubt, Fate } from "./outbox.ts";
import type { Server } from "./server.ts";

export interface Press extends PressTimes {
  readonly pane: Pane;
  readonly option: MenuOption | null;
  /** The reader's own words: for a freeform option, or as the whole answer. */
  readonly text: string | null;
  readonly label: string;
  /** Of an answer that was held back: whether the prompt is still the very one, beyond what is read. */
  readonly stands?: (latest: Pane) => boolean;
}

export interface KeyPress extends PressTimes {
  readonly shown: Pane;
}

/** What became of it; null where nothing is to be said of it. */
export type Outcome = Answer | null;

/** One thing to send to a pane as it was shown. An answer goes to what was read, the rest to a prompt. */
interface Sending extends Sent {
  readonly operation: "select" | "text" | "key";
  /** Own words; what a key is called. */
  readonly text: string | null;
  readonly isAnswer: boolean;
  readonly outcome: Signal<Outcome>;
  readonly steadyMs: number;
  /** Whether the prompt is the very one, beyond what is read. */
  readonly stands: (latest: Pane) => boolean;
}

/**
 * What a person does to a pane: answers, keys and texts. Each is judged by what was on the screen when
 * the press began, goes out once through the outbox, and ends as one outcome; never again by itself.
 */
export class Acts {
  readonly #server: Server;
  readonly #answers = new Signals<Outcome>(null);
  readonly #written = new Signals<Outcome>(null);
  /** The last of the keys of one pane that are still to leave, one after another. */
  readonly #tails = new Map<string, Promise<Outcome>>();

  constructor(server: Server) {
    this.#server = server;
  }

  of(id: string): Signal<Outcome> {
    return this.#answers.of(id);
  }

  /** How the last key or text to a pane fares; a doubt is the pane's, and stays beyond it. */
  written(id: string): Signal<Outcome> {
    return this.#written.of(id);
  }

  /** Whether a card must keep its slot although its pane may no longer wait. */
  holds(id: string): boolean {
    return holdsAnswers(this.of(id).value) && !this.#isDone(this.of(id).value);
  }

  /** Whether nothing follows an answer, so that others wait until the terminal was looked at. */
  isLate(id: string): boolean {
    return isLate(this.of(id).value, this.#server.nowMs());
  }

  inspected(id: string): void {
    if (this.isLate(id)) this.of(id).value = null;
  }

  /** Says on the card of this pane that what was picked there asks something else now. */
  sayChanged(pane: Pane): void {
    if (waits(pane))
      this.of(pane.id).value = { step: "changed", signature: signatureOf(pane), isMoved: false };
  }

  /** Moves every answer on after a snapshot, a tick, or a doubt about a pane. */
  advance(): void {
    const { outbox, panes, queue } = this.#server;
    for (const [id, answer] of this.#answers.entries()) {
      if (answer.value === null) continue;
      const now = { nowMs: this.#server.nowMs(), session: this.#server.sid.peek() };
      const next = advance(answer.value, panes.latest(id), now);
      const isKnown = next?.step === "uncertain" && !outbox.isDoubted(id);
      const isDone = this.#isDone(next);
      answer.value = isKnown || isDone ? null : next;
      if (isDone) queue.answered(id);
    }
    // What was sent may be an answer to the prompt that stands there, whoever sent it.
    for (const { paneId, label } of outbox.doubts()) {
      const pane = panes.latest(paneId);
      const answer = this.of(paneId);
      const step = answer.value?.step;
      if (pane !== null && waits(pane) && step !== "sending" && step !== "uncertain")
        answer.value = { step: "uncertain", sent: this.#sent(pane, label), isPart: false };
    }
  }

  /** Whether a press may arm an answer; says on the card why not. */
  admits(press: Press): boolean {
    const { id } = press.pane;
    if (holdsAnswers(this.of(id).value) || this.#server.outbox.isHeld(id)) return false;
    const act = this.#answer(press);
    const verdict = this.#judge(act);
    if (verdict === "changed" || verdict === "moved") this.#explain(act, verdict);
    return verdict === "send" || verdict === "preflight";
  }

  async answer(press: Press): Promise<Outcome> {
    if (holdsAnswers(this.of(press.pane.id).value)) return null;
    const outcome = await this.#run(this.#answer(press));
    if (outcome?.step !== "sent") return outcome;
    if (press.text !== null) this.#arrived(press.pane, press.text);
    this.#server.browser.install.answered();
    this.advance();
    return outcome;
  }

  key(press: KeyPress, key: string): Promise<Outcome> {
    return this.#inTurn(press, "key", key);
  }

  /**
   * Sends a text with Enter. Over a prompt it answers that prompt as it was shown; without one the
   * server refuses it when a prompt has appeared meanwhile.
   */
  text(press: KeyPress, text: string): Promise<Outcome> {
    return this.#inTurn(press, "text", text);
  }

  forget(id: string): void {
    this.written(id).value = null;
  }

  learn({ paneId, label, isWords }: Doubt, { state, reason }: Fate): void {
    const answer = this.of(paneId);
    const latest = this.#server.panes.latest(paneId);
    const hasArrived = state === "sent" || state === "confirmed";
    const refused = notSent(reason || "unseen");
    if (hasArrived && isWords && latest !== null) this.#arrived(latest, label);
    if (answer.value?.step !== "uncertain") {
      if (!hasArrived) this.written(paneId).value = refused;
      return;
    }
    const { sent } = answer.value;
    answer.value = hasArrived
      ? { step: "sent", sent, at: this.#server.nowMs(), confirmed: state === "confirmed" }
      : { ...refused, signature: latest && signatureOf(latest) };
    this.advance();
  }

  clear(): void {
    this.#answers.clear();
    this.#written.clear();
  }

  #arrived(pane: Pane, text: string): void {
    const { drafts } = this.#server;
    const draft = drafts.of(pane).peek();
    drafts.sent(pane, messageOf(draft) === text ? draft : { text });
  }

  #isDone(answer: Outcome): boolean {
    return isRead(answer, this.#server.nowMs(), this.#server.untouchedMs());
  }

  #answer(press: Press): Sending {
    const { pane, option, text, label, stands = () => true } = press;
    return {
      ...{ ...this.#sent(pane, label, option), text, stands },
      operation: option === null ? "text" : "select",
      isAnswer: true,
      outcome: this.of(pane.id),
      steadyMs: steadyMs(press, this.#server.nowMs()),
    };
  }

  #sent(shown: Pane, label: string, option: MenuOption | null = null): Sent {
    return { shown, label, option, session: this.#server.sid.peek() };
  }

  /** What was pressed while an earlier key was on its way is dropped when that one did not arrive. */
  #inTurn(press: KeyPress, operation: "key" | "text", text: string): Promise<Outcome> {
    const { shown } = press;
    const act: Sending = {
      ...{ ...this.#sent(shown, text), operation, text },
      isAnswer: false,
      outcome: this.written(shown.id),
      steadyMs: steadyMs(press, this.#server.nowMs()),
      stands: () => true,
    };
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

  async #run(act: Sending): Promise<Outcome> {
    const { link, outbox } = this.#server;
    const { operation, isAnswer, outcome, shown, text } = act;
    const { id } = shown;
    const lock = outbox.acquire([id], act.label, operation !== "key" && text !== null);
    if (lock === null) {
      const why: Outcome = outbox.isDoubted(id)
        ? { step: "uncertain", sent: act, isPart: false }
        : notSent("");
      // Of an answer the card says already what is on its way there.
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
        if (!isFresh) return (outcome.value = this.#saidOfNow(act, notSent("no_connection")));
        verdict = this.#judge(act);
      }
      if (verdict === "changed" || verdict === "moved") return this.#explain(act, verdict);
      if (verdict !== "send") return isAnswer ? null : (outcome.value = notSent(""));
      outcome.value = { step: "sending", sent: act };
      hasLeft = true;
      const result = await lock.send((pass, key, abort) => this.#call(pass, act, key, abort));
      if (!result.ok) return this.#failed(act, result.failure);
      const at = this.#server.nowMs();
      return (outcome.value = { step: "sent", sent: act, at, confirmed: false });
    } catch (fault) {
      // What may have arrived is said with the doubt about its pane.
      outcome.value = null;
      throw fault;
    } finally {
      if (!hasLeft) lock.release();
    }
  }

  /** What a person read before the press: where it differs, it goes to something else. */
  #judge(act: Sending): Verdict {
    const { canAnswer, panes } = this.#server;
    const see = act.isAnswer ? signatureOf : promptOf;
    const latest = panes.latest(act.shown.id);
    return judgePress({
      pressed: see(act.shown),
      latest: latest !== null && act.stands(latest) ? see(latest) : null,
      isTaken: latest !== null && isTaken(latest, act),
      connected: canAnswer.value,
      steadyMs: act.steadyMs,
      snapshotAgeMs: panes.ageMs(),
    });
  }

  #explain(act: Sending, verdict: "changed" | "moved"): Outcome {
    const latest = this.#server.panes.latest(act.shown.id);
    const isMoved = verdict === "moved";
    const said: Outcome = latest && { step: "changed", signature: signatureOf(latest), isMoved };
    return (act.outcome.value = said);
  }

  /** Shown for as long as what stands there now does. */
  #saidOfNow({ shown }: Sending, refused: Refused): Outcome {
    const latest = this.#server.panes.latest(shown.id);
    return latest && { ...refused, signature: signatureOf(latest) };
  }

  #failed(act: Sending, failure: Failure): Outcome {
    const { isAnswer, outcome } = act;
    const reason = reasonOf(failure);
    if (failure.kind === "unauthorized") return (outcome.value = null);
    if (isUncertain(failure)) {
      const isPart = reason === "partial_delivery_unknown";
      const doubt: Outcome = { step: "uncertain", sent: act, isPart };
      outcome.value = isAnswer ? doubt : null;
      return doubt;
    }
    const refused = notSent(reason);
    outcome.value = refused;
    void this.#server.link.refresh().then(() => {
      if (isAnswer && outcome.peek() === refused) outcome.value = this.#saidOfNow(act, refused);
    });
    return refused;
  }

  /** With the guard that was on the screen, never a newer one, and by the route that the pane takes. */
  async #call(
    pass: Pass,
    { operation, option, shown, text }: Sending,
    idempotency_key: string,
    signal: AbortSignal,
  ): Promise<Result<unknown>> {
    const { api, config } = this.#server;
    const { id, action_guard: guard } = shown;
    const sent = { pass, signal };
    const words = text ?? "";
    if (isGuarded(shown)) {
      // Nothing may leave for a pane that was shown without its guard.
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

type Refused = Extract<Answer, { step: "refused" }>;

const notSent = (reason: string): Refused => ({ step: "refused", reason, signature: null });

function isTaken(pane: Pane, { operation, option, text }: Sending): boolean {
  if (operation === "key") return takesKey(pane, text ?? "");
  if (option === null) return canWrite(pane);
  return canSelect(pane, option) && (text === null || canWrite(pane));
}
