import type { Signal } from "@preact/signals";
import {
  advance,
  confirmAnswer,
  holdsAnswers,
  isLate,
  isFromEarlierSession,
  isRead,
  refusedAnswer,
  type Answer,
} from "../../model/answer.ts";
import { messageOf } from "../../model/drafts.ts";
import { signatureOf } from "../../model/guard.ts";
import { waits, type Pane } from "../../model/pane.ts";
import { Signals, Part } from "./part.ts";
import type { Doubt, ActFate } from "./outbox.ts";

interface EarlierSend {
  readonly paneId: string;
  readonly key: string;
  readonly isGone: boolean;
}

/** The state of the last answer, key or text of each pane; null where there is nothing to show. */
export class Answers extends Part {
  readonly #answers = new Signals<Answer | null>(null);
  readonly #inputOutcomes = new Signals<Answer | null>(null);

  of(id: string): Signal<Answer | null> {
    return this.#answers.of(id);
  }

  /** Of the last key or text; a doubt belongs to the pane and outlives it. */
  inputOutcome(id: string): Signal<Answer | null> {
    return this.#inputOutcomes.of(id);
  }

  /** Whether a card keeps its slot although its pane may no longer wait. */
  holds(id: string): boolean {
    const answer = this.of(id).value;
    return holdsAnswers(answer) && !this.#isDone(answer);
  }

  /** Whether an answer had no effect for long: other sends then wait for a look at the terminal. */
  isLate(id: string): boolean {
    return isLate(this.of(id).value, this.server.nowMs());
  }

  inspected(id: string): void {
    if (this.isLate(id)) this.of(id).value = null;
  }

  /** Marks a picked answer whose prompt is another one now. */
  sayChanged(pane: Pane): void {
    if (waits(pane))
      this.of(pane.id).value = { ...refusedAnswer("changed"), signature: signatureOf(pane) };
  }

  /** Sent words leave the draft. */
  clearDraft(pane: Pane, text: string): void {
    const { drafts } = this.server;
    const draft = drafts.of(pane).peek();
    drafts.sent(pane, messageOf(draft) === text ? draft : { text });
  }

  /** Called after a snapshot, a tick, or a change of a doubt. */
  advance(): void {
    const { outbox, panes, queue, sid } = this.server;
    const session = sid.peek();
    for (const [id, answer] of this.#answers.entries()) {
      if (answer.value === null) continue;
      const next = advance(answer.value, panes.latest(id), {
        nowMs: this.server.nowMs(),
        session,
      });
      const isKnown = next?.step === "uncertain" && !outbox.isDoubted(id);
      const isDone = this.#isDone(next);
      answer.value = isKnown || isDone ? null : next;
      if (isDone) queue.answered(id);
    }
    // A doubt may be about the open prompt, whoever sent it.
    for (const { paneId, label } of outbox.doubts()) {
      const pane = panes.latest(paneId);
      const answer = this.of(paneId);
      const step = answer.value?.step;
      if (pane === null || !waits(pane) || step === "sending" || step === "uncertain") continue;
      const sent = { shown: pane, label, option: null, session };
      answer.value = { step: "uncertain", sent, isPart: false };
    }
  }

  /** Answers of an earlier session that no snapshot has confirmed. */
  fromEarlierSession(): readonly EarlierSend[] {
    const session = this.server.sid.peek();
    return [...this.#answers.entries()].flatMap(([paneId, { value: answer }]) =>
      isFromEarlierSession(answer, session)
        ? [{ paneId, key: answer.key, isGone: this.server.isGone(answer.sent.shown) }]
        : [],
    );
  }

  /** Applies what the server's record knows of an answer from an earlier session. */
  settle({ paneId, key, isGone }: EarlierSend, isConfirmed: boolean): void {
    const answer = this.of(paneId);
    const { value: sent } = answer;
    if (!isFromEarlierSession(sent, this.server.sid.peek()) || sent.key !== key) return;
    const at = this.server.nowMs();
    if (isConfirmed) answer.value = confirmAnswer(sent, at);
    else if (isGone) answer.value = { ...sent, isOrphan: true, at };
  }

  /** Applies the fate of a doubtful send. */
  learnFate({ paneId, key, label, isWords }: Doubt, { state, reason }: ActFate): void {
    const answer = this.of(paneId);
    const latest = this.server.panes.latest(paneId);
    const hasArrived = state === "sent" || state === "confirmed";
    const refused = refusedAnswer(reason || "unseen");
    if (hasArrived && isWords && latest !== null) this.clearDraft(latest, label);
    if (answer.value?.step !== "uncertain") {
      if (!hasArrived) this.inputOutcome(paneId).value = refused;
      return;
    }
    const { sent } = answer.value;
    answer.value = hasArrived
      ? { step: "sent", sent, key, at: this.server.nowMs(), confirmed: state === "confirmed" }
      : { ...refused, signature: latest && signatureOf(latest) };
    this.advance();
  }

  #isDone(answer: Answer | null): boolean {
    return isRead(answer, this.server.nowMs(), this.server.browser.touch.untouchedMs());
  }
}
