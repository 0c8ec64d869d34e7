import type { ReadonlySignal, Signal } from "@preact/signals";
import type { SeenAgent, SeenDecision } from "../../../../src/protocol/tolerant-agents.ts";
import { holdsAnswers, isLate, isRead, type Attempt } from "../../../model/attempt.ts";
import type { Verdict } from "../../../model/guard.ts";
import {
  guardOf,
  isOver,
  judgeRelease,
  obstacleOf,
  signatureOf,
  type Obstacle,
} from "../../../model/queue/decision.ts";
import { NO_OWN_WORDS, ownWordsOf, type OwnWords } from "../../../model/queue/own-words.ts";
import type { AgentsApi } from "../../../net/agents-api.ts";
import type { Panes } from "../panes.ts";
import type { Table } from "./table.ts";
import { Attempts, type AttemptsDeps, type Outcome, type Subject } from "../attempts.ts";

/** What a person pressed, and what was on the screen when the press began. */
export interface DecisionPress {
  readonly agent: SeenAgent;
  readonly decision: SeenDecision;
  readonly optionId: string;
  readonly label: string;
  /** Milliseconds since the card last changed or moved. */
  readonly steadyMs: number;
}

/** What is shown as sent. */
export interface SentChoice {
  readonly paneId: string;
  readonly optionId: string;
  readonly label: string;
}

export interface RepliesDeps extends AttemptsDeps {
  readonly api: AgentsApi;
  readonly uuid: () => string;
  readonly panes: Pick<Panes, "find">;
  readonly decisions: Table<SeenDecision>;
  /** A decision was read anew, or answered. */
  readonly learned: (decision: SeenDecision) => void;
  readonly untouchedMs: () => number;
  /** An answer for this pane is confirmed and was read: the next card may come up. */
  readonly onDone: (paneId: string) => void;
}

/** Answers to decisions: read again before each, sent once, under what was seen when it was pressed. */
export class Replies {
  readonly #deps: RepliesDeps;
  readonly #attempts: Attempts<SentChoice>;

  constructor(deps: RepliesDeps) {
    this.#deps = deps;
    this.#attempts = new Attempts(deps);
  }

  of(decisionId: string): Signal<Attempt<SentChoice> | null> {
    return this.#attempts.of(decisionId);
  }

  /** The newest that is known of a decision. */
  latest(decisionId: string): ReadonlySignal<SeenDecision | null> {
    return this.#deps.decisions.get(decisionId);
  }

  /** Reads one decision anew: it is shown, and the server says that it has changed. */
  async reread(decisionId: string): Promise<void> {
    const result = await this.#deps.api.decision(decisionId);
    if (result.ok) this.#deps.decisions.upsert([result.value]);
  }

  /** Whether a card must keep its place although its decision may be over. */
  holds(decisionId: string): boolean {
    const attempt = this.of(decisionId).value;
    return holdsAnswers(attempt) && attempt.step !== "done";
  }

  /** The same of all decisions that are answered in this pane. */
  holdsPane(paneId: string): boolean {
    return [...this.#attempts.entries()].some(
      ([id, { value }]) => holdsAnswers(value) && value.sent.paneId === paneId && this.holds(id),
    );
  }

  /** Moves every answer on after a reading, or a tick. */
  advance(): void {
    const { decisions, nowMs, onDone, untouchedMs } = this.#deps;
    for (const [id, attempt] of this.#attempts.entries()) {
      const { value } = attempt;
      if (value?.step !== "sent") continue;
      const decision = decisions.get(id).peek();
      if (isRead(value, nowMs(), untouchedMs())) {
        attempt.value = { step: "done", sent: value.sent };
        onDone(value.sent.paneId);
      } else if (!value.confirmed && decision !== null && isOver(decision))
        attempt.value = { ...value, confirmed: true, at: nowMs() };
    }
  }

  /** Whether nothing follows an answer in this pane, so that its terminal has to be looked at. */
  isLate(paneId: string): boolean {
    return this.#late(paneId).length > 0;
  }

  /** The terminal of this pane was opened and a new snapshot has come. */
  inspected(paneId: string): void {
    for (const attempt of this.#late(paneId)) attempt.value = null;
  }

  obstacle(agent: SeenAgent, decision: SeenDecision, isFresh: boolean): Obstacle | null {
    const isDoubted =
      this.#attempts.isUncertain(decision.id) ||
      (agent.pane_id !== null && this.#deps.gate.isDoubted(agent.pane_id));
    return obstacleOf({ agent, decision, isFresh, isDoubted });
  }

  /** Which of its options ask for words of the person's own. */
  ownWords(agent: SeenAgent, decision: SeenDecision): OwnWords {
    const { association, pane_id } = agent;
    if (association !== "confirmed" || pane_id === null) return NO_OWN_WORDS;
    return ownWordsOf(decision, this.#deps.panes.find(pane_id));
  }

  /** Reads the decision again, and sends the answer if it is still the very one that was pressed. */
  async send(press: DecisionPress): Promise<Outcome> {
    const { agent, decision, optionId, label } = press;
    const guard = guardOf(decision);
    if (guard === null || agent.pane_id === null) return "not_sent";
    if (this.ownWords(agent, decision).ids.includes(optionId)) return "not_sent";
    const paneId = agent.pane_id;
    const pressed = signatureOf(decision);
    const key = this.#deps.uuid();
    let latest: SeenDecision | null = null;
    const subject: Subject<SentChoice> = {
      key: decision.id,
      paneId,
      sent: { paneId, optionId, label },
      label,
      judge: (): Verdict => {
        // The first time nothing has been read yet: everything that is sent was read again before.
        if (latest === null) return "preflight";
        const verdict = judgeRelease({
          pressed,
          latest: signatureOf(latest),
          obstacle: this.obstacle(agent, latest, true),
          steadyMs: press.steadyMs,
        });
        return verdict === "blocked" ? "changed" : verdict;
      },
      refresh: async () => {
        const result = await this.#deps.api.decision(decision.id);
        if (!result.ok) return false;
        latest = result.value;
        this.#learn(latest);
        return true;
      },
      call: async (pass) => {
        const result = await this.#deps.api.reply(pass, decision, optionId, guard, key);
        if (result.ok) this.#learn(result.value.decision);
        return result;
      },
      current: () => (latest === null ? pressed : signatureOf(latest)),
    };
    return this.#attempts.run(subject);
  }

  clear(): void {
    this.#attempts.clear();
  }

  #late(paneId: string): Signal<Attempt<SentChoice> | null>[] {
    const attempts = [...this.#attempts.entries()].map(([, attempt]) => attempt);
    return attempts.filter(
      ({ value }) =>
        holdsAnswers(value) && value.sent.paneId === paneId && isLate(value, this.#deps.nowMs()),
    );
  }

  #learn(decision: SeenDecision): void {
    this.#deps.decisions.upsert([decision]);
    this.#deps.learned(decision);
  }
}
