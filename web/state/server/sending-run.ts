import { signal } from "@preact/signals";
import {
  isStopped,
  nextToSend,
  type Choice,
  type Outcome,
  type Step,
} from "../../model/queue/collect.ts";

export interface Run {
  readonly steps: readonly Step[];
  /** The question that is being answered. */
  readonly current: string | null;
  readonly isStopping: boolean;
  readonly isOver: boolean;
}

export interface SendingRunDeps {
  /** Epoch seconds. */
  readonly nowSeconds: () => number;
  /** Reads it again, and sends it once. */
  readonly send: (choice: Choice) => Promise<Outcome>;
  readonly settled: (choice: Choice, outcome: Outcome) => void;
}

/**
 * Sends chosen answers one after another: the next one begins when the one before has its outcome.
 * Nothing is tried again.
 */
export class SendingRun {
  readonly run = signal<Run | null>(null);
  readonly #deps: SendingRunDeps;
  /** Another one was begun, or all of it was cleared. */
  #turn = 0;

  constructor(deps: SendingRunDeps) {
    this.#deps = deps;
  }

  get isUnderWay(): boolean {
    const run = this.run.value;
    return run !== null && !run.isOver;
  }

  /** What became of the answer to this question, or is becoming of it. */
  step(id: string): Step | null {
    return this.run.value?.steps.find(({ seen }) => seen.id === id) ?? null;
  }

  /** Sends what is chosen, in the order given. */
  async start(choices: readonly Choice[]): Promise<void> {
    if (this.run.peek()?.isOver === false || choices.length === 0) return;
    const turn = ++this.#turn;
    const steps = choices.map((choice): Step => ({ ...choice, outcome: null, at: 0 }));
    this.run.value = { steps, current: null, isStopping: false, isOver: false };
    for (;;) {
      const run = this.run.peek();
      const step = run === null || run.isStopping ? null : nextToSend(run.steps);
      if (step === null) break;
      this.#change({ current: step.seen.id });
      // One that has failed here may have arrived: nothing of it is tried again.
      const outcome = await this.#deps.send(step).catch((): Outcome => "uncertain");
      if (this.#turn !== turn) return;
      this.#settle(step, outcome);
    }
    const left = this.run.peek()?.steps ?? [];
    for (const step of left)
      if (step.outcome === null && isStopped(left, step)) this.#settle(step, "skipped");
    this.#change({ current: null, isOver: true });
  }

  /** The one that is on its way ends as it does; what comes behind it stays chosen. */
  stop(): void {
    this.#change({ isStopping: true });
  }

  /** Its result has been read: of one question, or of all. */
  dismiss(id: string | null = null): void {
    const run = this.run.peek();
    if (run === null || !run.isOver) return;
    const steps = id === null ? [] : run.steps.filter(({ seen }) => seen.id !== id);
    this.run.value = steps.length === 0 ? null : { ...run, steps };
  }

  /** Signed out: nothing more leaves. */
  clear(): void {
    this.#turn += 1;
    this.run.value = null;
  }

  #settle({ seen }: Step, outcome: Outcome): void {
    const { nowSeconds, settled } = this.#deps;
    const at = nowSeconds();
    const steps = this.run.peek()?.steps ?? [];
    const step = steps.find((one) => one.seen.id === seen.id);
    this.#change({ steps: steps.map((one) => (one === step ? { ...one, outcome, at } : one)) });
    if (step !== undefined) settled(step, outcome);
  }

  #change(members: Partial<Run>): void {
    const run = this.run.peek();
    if (run !== null) this.run.value = { ...run, ...members };
  }
}
