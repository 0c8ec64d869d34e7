import { batch, computed, effect, signal, untracked } from "@preact/signals";
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
  readonly nowMs: () => number;
  /** Epoch seconds. */
  readonly nowSeconds: () => number;
}

/** Why the answer of a card cannot be chosen ahead. */
export type NotChoosable = "uncertain" | "submitting" | "now";

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
  obstacle({ prompt }: Question): NotChoosable | null {
    const { answers, gate } = this.#deps;
    if (gate.isDoubted(prompt.id)) return "uncertain";
    if (answers.holds(prompt.id)) return "submitting";
    return isChoosable(prompt) ? null : "now";
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
      this.#keep({});
    });
  }

  /** A tap that comes right after a choice fell out was meant for more answers than there are now. */
  async send(): Promise<void> {
    const { nowMs } = this.#deps;
    if (nowMs() - this.#lostAt < SHIELD_MS) return;
    const ready = this.ready.peek();
    if (this.run.isUnderWay || ready.length === 0) return;
    await this.run.start(ready);
    // Back to answering: what was not sent is said on its card.
    this.#deps.collecting.isOn.value = false;
    this.#hold(this.questions.peek());
  }

  /** Signed out: what is kept outside the page is cleared with all the rest. */
  clear(): void {
    this.run.clear();
    batch(() => {
      this.choices.value = {};
      this.lost.value = {};
    });
  }

  #questionOf(entry: Entry): Question | null {
    return questionOf(entry, entry.paneId === null ? null : this.#deps.panes.find(entry.paneId));
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

  #send({ seen, option, text }: Choice): Promise<Outcome> {
    return this.#sendPrompt(seen.prompt, option, text);
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
    this.choices.value = choices;
  }
}
