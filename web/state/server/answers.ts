import type { Signal } from "@preact/signals";
import { advance, UNTOUCHED_MS, type Answer, type Sent } from "../../model/answer.ts";
import { judgePress, signatureOf, steadyMs, type PressTimes } from "../../model/guard.ts";
import { canSelect, canWrite, type MenuOption, type Pane } from "../../model/pane.ts";
import type { Result } from "../../net/api.ts";
import { Attempts, type Outcome, type Subject } from "./attempts.ts";
import type { Doubts } from "./doubts.ts";
import type { PaneActions } from "./pane-actions.ts";
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
  readonly actions: PaneActions;
  readonly panes: Panes;
  readonly doubts: Doubts;
  readonly nowMs: () => number;
  readonly connected: () => boolean;
  readonly refresh: () => Promise<boolean>;
  readonly onUnauthorized: () => void;
  /** How long no hand has been on the screen: cards that are done wait before they collapse. */
  readonly untouchedMs: () => number;
  readonly onSent: (press: Press) => void;
  /** Whether a key or a text of this pane is under way, or may be. */
  readonly isTyping: (id: string) => boolean;
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

  /** Moves every answer on after a snapshot or a tick. */
  advance(): void {
    const now = this.#deps.nowMs();
    for (const [id, answer] of this.#attempts.entries()) {
      if (answer.value === null) continue;
      const next = advance(answer.value, this.#deps.panes.latest(id), now);
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
    return this.#attempts.isUncertain(id);
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

  clear(): void {
    this.#attempts.clear();
  }

  /** A key or a text for this prompt may have arrived: it may be answered already. */
  doubt(pane: Pane, label: string): void {
    this.of(pane.id).value = { step: "uncertain", sent: sentOf(pane, null, label), isPart: false };
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
    const { nowMs, panes, refresh, connected, isTyping } = this.#deps;
    const { pane, option, text, label } = press;
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
          latest: currentOf(latest),
          isTaken: latest !== null && isTaken(latest),
          connected: connected(),
          inFlight: this.#attempts.isHeld(id) || isTyping(id),
          steadyMs: steady,
          snapshotAgeMs: panes.ageMs(),
        });
      },
      call: () => this.#call(press),
    };
  }

  #call({ pane, option, text }: Press): Promise<Result<unknown>> {
    const { actions } = this.#deps;
    if (option === null) return actions.send(pane, { do: "text", text: text ?? "" });
    return actions.send(pane, { do: "select", option, text });
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
    updated: pane.updated,
    promptSince: pane.prompt_since,
  };
}

const currentOf = (pane: Pane | null): string | null => (pane === null ? null : signatureOf(pane));
