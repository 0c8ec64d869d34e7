import type { Signal } from "@preact/signals";
import { advance, type Answer, type Sent } from "../../model/answer.ts";
import { isLate, isRead } from "../../model/attempt.ts";
import { judgePress, signatureOf, steadyMs, type PressTimes } from "../../model/guard.ts";
import { canSelect, canWrite, waits, type MenuOption, type Pane } from "../../model/pane.ts";
import type { Pass, Result } from "../../net/api.ts";
import { Attempts, type Outcome, type Subject } from "./attempts.ts";
import type { PaneActions } from "./pane-actions.ts";
import type { PaneGate } from "./pane-gate.ts";
import type { Panes } from "./panes.ts";

/** What a person pressed, and what was on the screen when the press began. */
export interface Press extends PressTimes {
  /** The pane as it was rendered when the press began. */
  readonly pane: Pane;
  readonly option: MenuOption | null;
  /** The reader's own words: for a freeform option, or as the whole answer. */
  readonly text: string | null;
  readonly label: string;
  /** Of an answer that was held back: whether the prompt is still the very one, beyond what is read. */
  readonly stands?: (latest: Pane) => boolean;
}

export interface AnswersDeps {
  readonly actions: PaneActions;
  readonly panes: Panes;
  readonly gate: PaneGate;
  readonly nowMs: () => number;
  readonly connected: () => boolean;
  readonly refresh: () => Promise<boolean>;
  readonly onUnauthorized: () => void;
  /** How long no hand has been on the screen: cards that are done wait before they collapse. */
  readonly untouchedMs: () => number;
  readonly onSent: (press: Press) => void;
  /** An answer at this pane is confirmed and was read: the next card may come up. */
  readonly onDone: (paneId: string) => void;
}

/** Answers to prompts of panes. */
export class Answers {
  readonly #deps: AnswersDeps;
  readonly #attempts: Attempts<Sent>;

  constructor(deps: AnswersDeps) {
    this.#deps = deps;
    this.#attempts = new Attempts(deps);
  }

  of(id: string): Signal<Answer | null> {
    return this.#attempts.of(id);
  }

  /** Whether a card must keep its slot although its pane may no longer wait. */
  holds(id: string): boolean {
    return this.#attempts.isHeld(id) && !this.#isDone(this.of(id).value);
  }

  /** Moves every answer on after a snapshot, a tick, or a doubt about a pane. */
  advance(): void {
    const { gate, nowMs, onDone, panes } = this.#deps;
    for (const [id, answer] of this.#attempts.entries()) {
      if (answer.value === null) continue;
      const next = advance(answer.value, panes.latest(id), nowMs());
      const isKnown = next?.step === "uncertain" && !gate.isDoubted(id);
      const isDone = this.#isDone(next);
      answer.value = isKnown || isDone ? null : next;
      if (isDone) onDone(id);
    }
    for (const { paneId, label } of gate.doubts()) this.#doubt(panes.latest(paneId), label);
  }

  /** What was sent may be an answer to the prompt that stands there, whoever sent it. */
  #doubt(pane: Pane | null, label: string): void {
    if (pane === null || !waits(pane)) return;
    const answer = this.of(pane.id);
    if (answer.value?.step === "sending" || answer.value?.step === "uncertain") return;
    answer.value = { step: "uncertain", sent: sentOf(pane, null, label), isPart: false };
  }

  #isDone(answer: Answer | null): boolean {
    return isRead(answer, this.#deps.nowMs(), this.#deps.untouchedMs());
  }

  /** Whether nothing follows an answer, so that others wait until the terminal was looked at. */
  isLate(id: string): boolean {
    return isLate(this.of(id).value, this.#deps.nowMs());
  }

  /** The terminal of this pane was opened and a new snapshot has come. */
  inspected(id: string): void {
    if (this.isLate(id)) this.of(id).value = null;
  }

  /** Says on the card of this pane that what was picked there asks something else now. */
  sayChanged(pane: Pane): void {
    if (waits(pane)) this.of(pane.id).value = { step: "changed", signature: signatureOf(pane) };
  }

  clear(): void {
    this.#attempts.clear();
  }

  /** Whether a press may arm an answer; says on the card why not. */
  admits(press: Press): boolean {
    return this.#attempts.admits(this.#subject(press));
  }

  /** Sends an answer if all conditions of the guard hold; says on the card why not. */
  async send(press: Press): Promise<Outcome> {
    const outcome = await this.#attempts.run(this.#subject(press));
    if (outcome !== "sent") return outcome;
    this.#deps.onSent(press);
    this.advance();
    return outcome;
  }

  /** The prompt of a pane, as it was when the press began. */
  #subject(press: Press): Subject<Sent> {
    const { nowMs, panes, refresh, connected } = this.#deps;
    const { pane, option, text, label, stands = () => true } = press;
    const { id } = pane;
    const pressed = signatureOf(pane);
    const steady = steadyMs(press, nowMs());
    const isTaken = (latest: Pane) =>
      (option === null || canSelect(latest, option)) && (text === null || canWrite(latest));
    return {
      key: id,
      paneId: id,
      sent: sentOf(pane, option, label),
      label,
      refresh,
      current: () => currentOf(panes.latest(id)),
      judge: () => {
        const latest = panes.latest(id);
        return judgePress({
          pressed,
          latest: latest !== null && stands(latest) ? signatureOf(latest) : null,
          isTaken: latest !== null && isTaken(latest),
          connected: connected(),
          steadyMs: steady,
          snapshotAgeMs: panes.ageMs(),
        });
      },
      call: (pass) => this.#call(pass, press),
    };
  }

  #call(pass: Pass, { pane, option, text }: Press): Promise<Result<unknown>> {
    const { actions } = this.#deps;
    if (option === null) return actions.send(pass, pane, { do: "text", text: text ?? "" });
    return actions.send(pass, pane, { do: "select", option, text });
  }
}

function sentOf(pane: Pane, option: MenuOption | null, label: string): Sent {
  return {
    key: option?.key ?? null,
    optionId: option?.id ?? null,
    label,
    signature: signatureOf(pane),
    shown: pane,
    isToggle: option !== null && option.checked !== null,
    promptSince: pane.prompt_since,
  };
}

const currentOf = (pane: Pane | null): string | null => (pane === null ? null : signatureOf(pane));
