import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { SHIELD_MS } from "../../model/guard.ts";
import type { Pane } from "../../model/pane.ts";
import {
  isChoosable,
  isSamePrompt,
  lossOf,
  menuOptionOf,
  questionOf,
  successorOf,
  type Choice,
  type Choices,
  type Choosable,
  type Lost,
  type Outcome,
  type Question,
  type Step,
} from "../../model/queue/collect.ts";
import type { Entry } from "../../model/queue/entry.ts";
import { planOf, restore } from "../../model/queue/kept.ts";
import type { Obstacle } from "../../model/queue/decision.ts";
import type { Workspace } from "./agents/workspace.ts";
import type { Answers } from "./answers.ts";
import type { Collecting } from "./collecting.ts";
import type { PaneGate } from "./pane-gate.ts";
import type { Panes } from "./panes.ts";
import { SendingRun } from "./sending-run.ts";

export interface CollectedDeps {
  readonly collecting: Collecting;
  /** The cards that wait, in their order on the screen. */
  readonly waiting: () => readonly Entry[];
  readonly panes: Panes;
  readonly answers: Answers;
  readonly gate: PaneGate;
  /** Null while it is off, or its code is on its way. */
  readonly workspace: () => Workspace | null;
  /** Null until the server has said who it is. */
  readonly instance: () => string | null;
  readonly nowMs: () => number;
  /** Epoch seconds. */
  readonly nowSeconds: () => number;
}

/** Why the answer of a card cannot be chosen ahead. */
export type NotChoosable = Obstacle | "now";

/** After these nothing is left to send: it was answered, has changed, or is in doubt. */
const ENDED: ReadonlySet<Outcome> = new Set(["sent", "changed", "gone", "uncertain"]);

/**
 * Answers that are chosen first and sent later, one after another. Each is held with the question as
 * it was seen; where that is another one now, the choice falls out.
 */
export class Collected {
  readonly choices = signal<Choices>({});
  /** Choices that no longer stand, by question; those of cards that are gone, by decision. */
  readonly lost = signal<Readonly<Record<string, Lost>>>({});
  /** An earlier page has chosen them. */
  readonly isRestored = signal(false);
  readonly run: SendingRun;
  readonly questions = computed<readonly Question[]>(() =>
    this.#deps.waiting().flatMap((entry) => this.#questionOf(entry) ?? []),
  );
  /** What can be chosen ahead. */
  readonly open = computed(() => this.questions.value.filter((one) => this.obstacle(one) === null));
  /** What would be sent now, in its order. */
  readonly ready = computed<readonly Choice[]>(() =>
    this.open.value.flatMap(({ id }) => this.choices.value[id] ?? []),
  );
  readonly #deps: CollectedDeps;
  #lostAt = -Infinity;
  /** Whether the answers that an earlier page has kept were looked at. */
  #hasRestored = false;

  constructor(deps: CollectedDeps) {
    this.#deps = deps;
    this.run = new SendingRun({
      nowSeconds: deps.nowSeconds,
      send: (choice) => this.#send(choice),
      settled: (choice, outcome) => this.#settled(choice, outcome),
    });
    // For as long as the page lives: what was chosen is held also where the queue is not shown.
    effect(() => {
      const now = this.questions.value;
      untracked(() => this.#hold(now));
    });
    effect(() => this.#restoreOnce());
    effect(() => {
      const { cards, hasChoices } = deps.collecting;
      const run = this.run.run.value;
      const now = this.questions.value;
      // Once it is over a card that asks something new asks it.
      const asksAnew = (step: Step) =>
        run?.isOver === true &&
        (step.outcome === "sent" || step.outcome === "gone") &&
        lossOf(step, successorOf(step, now)) === "changed";
      const steps = run?.steps.filter((step) => !asksAnew(step)) ?? [];
      hasChoices.value = Object.keys(this.choices.value).length > 0;
      cards.value = new Set(steps.map(({ seen }) => seen.id));
    });
  }

  question(entryKey: string): Question | null {
    return this.questions.value.find(({ entry }) => entry.key === entryKey) ?? null;
  }

  /** Null: it can be chosen. What is shown may be old: sending reads it again. */
  obstacle({ agent, decision, prompt }: Question): NotChoosable | null {
    const { answers, gate, workspace } = this.#deps;
    if (prompt !== null) {
      if (gate.isDoubted(prompt.id)) return "uncertain";
      if (answers.holds(prompt.id)) return "submitting";
      return isChoosable(prompt) ? null : "now";
    }
    const replies = workspace()?.replies;
    if (agent === null || decision === null || replies === undefined) return "terminal";
    const why = replies.obstacle(agent, decision, true);
    return why === null && replies.holds(decision.id) ? "submitting" : why;
  }

  /** `question` as it was on the screen when the press began; `option` null leaves it open. */
  choose(question: Question, option: Choosable | null, text: string | null = null): void {
    if (this.run.isUnderWay) return;
    const { [question.id]: before, ...others } = this.choices.peek();
    const { [question.id]: _, ...lost } = this.lost.peek();
    const isWordless = option?.freeform === true && !text;
    const choice = option === null || isWordless ? null : { seen: question, option, text };
    if (choice === null && before === undefined) return;
    batch(() => {
      this.lost.value = lost;
      this.#keep(choice === null ? others : { ...others, [question.id]: choice });
    });
    this.#hold(this.questions.peek());
  }

  /** Leaves everything open. */
  leaveAll(): void {
    batch(() => {
      this.lost.value = {};
      this.isRestored.value = false;
      this.#keep({});
    });
  }

  /** A tap that comes right after a choice fell out was meant for more answers than there are now. */
  async send(): Promise<void> {
    const { nowMs, workspace } = this.#deps;
    if (nowMs() - this.#lostAt < SHIELD_MS) return;
    this.isRestored.value = false;
    const ready = this.ready.peek();
    if (this.run.isUnderWay || ready.length === 0) return;
    const kept = workspace()?.kept;
    if (kept) kept.isSending.value = true;
    await this.run.start(ready).finally(() => {
      if (kept) kept.isSending.value = false;
    });
    // Back to answering: what was not sent is said on its card.
    this.#deps.collecting.isOn.value = false;
    this.#hold(this.questions.peek());
  }

  /** Signed out: what is kept outside the page is cleared with all the rest. */
  clear(): void {
    this.run.clear();
    this.#hasRestored = false;
    batch(() => {
      this.choices.value = {};
      this.lost.value = {};
      this.isRestored.value = false;
    });
  }

  #questionOf(entry: Entry): Question | null {
    const { panes, workspace } = this.#deps;
    const board = workspace()?.board;
    const card = entry.agentId === null ? null : (board?.card(entry.agentId) ?? null);
    const group = card?.latest ?? null;
    const pane = entry.paneId === null ? null : panes.find(entry.paneId);
    return questionOf(entry, pane, group?.agent ?? null, group?.decisions ?? []);
  }

  #hold(questions: readonly Question[]): void {
    // While answers leave, each is read again by itself: what became of it is its own outcome.
    if (this.run.isUnderWay) return;
    const held = Object.entries(this.choices.peek()).map(([id, choice]) => {
      const now = successorOf(choice, questions);
      const why = lossOf(choice, now);
      if (now === null || now.id === id) return { id, wasId: id, choice, why };
      // The same question, where another pane is known of its agent.
      const seen = { ...choice.seen, id: now.id, entry: now.entry };
      return { id: now.id, wasId: id, choice: { ...choice, seen }, why };
    });
    if (held.every(({ id, wasId, why }) => why === null && id === wasId)) return;
    const lost = held.flatMap(({ id, why }) => (why === null ? [] : [[id, why] as const]));
    const choices = held.flatMap(({ id, choice, why }) =>
      why === null ? [[id, choice] as const] : [],
    );
    if (lost.length > 0) this.#lostAt = this.#deps.nowMs();
    batch(() => {
      this.lost.value = { ...this.lost.peek(), ...Object.fromEntries(lost) };
      this.#keep(Object.fromEntries(choices));
    });
  }

  /** What an earlier page has chosen stands for the same questions as they are read now. */
  #restoreOnce(): void {
    const workspace = this.#deps.workspace();
    const instance = this.#deps.instance();
    const groups = workspace?.review.value.value?.groups ?? null;
    const questions = this.questions.value;
    const areDrawn = workspace?.board.drawn.value != null;
    if (this.#hasRestored || workspace === null || instance === null) return;
    if (groups === null || !areDrawn || !this.#deps.panes.isLoaded.value) return;
    const kept = untracked(() => workspace.kept.get());
    const decisions = groups.flatMap((group): readonly SeenDecision[] => group.decisions);
    const agents = new Set(this.#deps.waiting().map(({ agentId }) => agentId));
    const isListed = ({ id, agent_id }: SeenDecision) => !kept.choices[id] || agents.has(agent_id);
    // Its card is about to come.
    if (!decisions.every(isListed)) return;
    this.#hasRestored = true;
    if (Object.keys(kept.choices).length === 0) return;
    const { choices, lost } = restore(kept, instance, questions, decisions);
    untracked(() =>
      batch(() => {
        this.isRestored.value = true;
        this.lost.value = { ...this.lost.peek(), ...this.#byQuestion(lost, questions) };
        if (Object.keys(lost).length > 0) this.#lostAt = this.#deps.nowMs();
        this.#keep({ ...choices, ...this.choices.peek() });
      }),
    );
  }

  #byQuestion(
    lost: Readonly<Record<string, Lost>>,
    questions: readonly Question[],
  ): Readonly<Record<string, Lost>> {
    const idOf = (decisionId: string) =>
      questions.find(({ decision }) => decision?.id === decisionId)?.id ?? decisionId;
    return Object.fromEntries(Object.entries(lost).map(([id, why]) => [idOf(id), why]));
  }

  async #send({ seen, option, text }: Choice): Promise<Outcome> {
    const { prompt, agent, decision } = seen;
    if (prompt !== null) return this.#sendPrompt(prompt, option, text);
    const replies = this.#deps.workspace()?.replies;
    if (replies === undefined || agent === null || decision === null) return "refused";
    const place = decision.options.findIndex(({ id }) => id === option.key);
    const label = `${place + 1} ${option.label}`;
    // No finger is on its card: what it chose is read again just now.
    const press = { agent, decision, optionId: option.key, label, steadyMs: Infinity };
    const outcome = await replies.send(press);
    if (outcome !== "not_sent") return outcome;
    const attempt = replies.of(decision.id).peek();
    const latest = replies.latest(decision.id).peek() ?? decision;
    if (attempt?.step === "refused" && attempt.conflict !== "no_connection") return "changed";
    if (attempt?.step !== "changed") return "refused";
    const obstacle = replies.obstacle(agent, latest, true);
    if (obstacle === "over" || obstacle === "submitting") return "gone";
    return obstacle === "uncertain" ? "refused" : "changed";
  }

  async #sendPrompt(pane: Pane, { key, label }: Choosable, text: string | null): Promise<Outcome> {
    const { answers, nowMs, panes } = this.#deps;
    const option = menuOptionOf(pane, key);
    if (option === null) return "changed";
    const before = answers.of(pane.id).peek();
    const outcome = await answers.send({
      ...{ pane, option, text, label: `${key} ${label}` },
      stands: (latest) => isSamePrompt(pane, latest),
      pressedAt: nowMs(),
      steadySince: -Infinity,
    });
    if (outcome !== "not_sent") return outcome;
    const latest = panes.latest(pane.id);
    if (latest === null || latest.status !== "needs_input") return "gone";
    if (!isSamePrompt(pane, latest)) return "changed";
    const attempt = answers.of(pane.id).peek();
    const isRefused = attempt !== before && attempt?.step === "refused";
    return isRefused && attempt.conflict !== "no_connection" ? "changed" : "refused";
  }

  #settled({ seen }: Choice, outcome: Outcome): void {
    if (!ENDED.has(outcome)) return;
    const { [seen.id]: _, ...choices } = this.choices.peek();
    this.#keep(choices);
  }

  #keep(choices: Choices): void {
    const { instance, workspace } = this.#deps;
    this.choices.value = choices;
    const kept = workspace()?.kept;
    // What an earlier page has kept is not written over before it was read.
    if (kept && this.#hasRestored) kept.set(planOf(instance() ?? "", choices));
  }
}
