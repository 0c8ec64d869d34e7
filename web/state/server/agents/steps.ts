import {
  readSteps,
  type SeenMessage,
  type SeenStep,
  type SeenStepList,
} from "../../../../src/protocol/tolerant-agents.ts";
import type { Result } from "../../../net/api.ts";
import { Query } from "../query.ts";
import type { Server } from "../server.ts";

/** What an agent does changes all the time; it is asked for no more often than this because of it. */
const REST_MS = 2000;
/** More are let go of, but for those of the messages that are shown. */
const MAX_STEPS = 2000;

/** Steps of one stretch of time, in which none is left out; null is without an end. */
export interface KnownSteps {
  /** Oldest first. */
  readonly steps: readonly SeenStep[];
  readonly from: number | null;
  readonly to: number | null;
}

export class StepTrack extends Query<KnownSteps> {
  readonly #server: Server;
  readonly #agentId: string;
  #shown: readonly SeenMessage[] = [];
  #hasNewer = false;
  /** Messages that were asked around: a log may tell nothing more there. */
  readonly #asked = new Set<string>();

  constructor(agentId: string, server: Server) {
    super((signal) => this.#newest(signal), REST_MS);
    this.#server = server;
    this.#agentId = agentId;
  }

  /** Asks for what is not known yet of the messages that are shown. */
  async cover(messages: readonly SeenMessage[], hasNewer: boolean): Promise<void> {
    this.#shown = messages;
    this.#hasNewer = hasNewer;
    while (!this.isLoading.peek() && this.failure.peek() === null) {
      const around = this.#missing();
      if (around === undefined) return;
      if (around !== null) this.#asked.add(around);
      await this.take((signal) => this.#ask(around, signal));
    }
  }

  override clear(): void {
    super.clear();
    this.#asked.clear();
  }

  /** The message to ask around next, null for the end; undefined where all is known. */
  #missing(): string | null | undefined {
    const known = this.value.peek();
    const shown = this.#shown;
    const [first, last] = [shown[0], shown.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const isApart =
      known !== null &&
      ((known.to !== null && known.to < first.created_at) ||
        (known.from !== null && known.from > last.created_at));
    if (known === null || isApart)
      return this.#unasked(this.#hasNewer ? shown[Math.floor(shown.length / 2)]?.id : null);
    const { from, to } = known;
    const before = from === null ? undefined : shown.findLast((one) => one.created_at <= from);
    if (before !== undefined && !this.#asked.has(before.id)) return before.id;
    const after = to === null ? undefined : shown.find((one) => one.created_at >= to);
    return after !== undefined && !this.#asked.has(after.id) ? after.id : undefined;
  }

  #unasked(id: string | null | undefined): string | null | undefined {
    return id !== null && id !== undefined && this.#asked.has(id) ? undefined : id;
  }

  /** While older messages are shown what is new is not asked for. */
  async #newest(signal: AbortSignal): Promise<Result<KnownSteps>> {
    const known = this.value.peek();
    if (known !== null && this.#hasNewer) return { ok: true, value: known };
    return this.#ask(null, signal);
  }

  async #ask(around: string | null, signal: AbortSignal): Promise<Result<KnownSteps>> {
    const result = await this.#server.api.call("GET /api/agents/:id/steps", {
      ...{ path: { id: this.#agentId }, query: { around }, read: readSteps, signal },
    });
    if (!result.ok) return result;
    return { ok: true, value: this.#within(joined(this.value.peek(), result.value)) };
  }

  #within(known: KnownSteps): KnownSteps {
    const [first, last] = [this.#shown[0], this.#shown.at(-1)];
    if (known.steps.length <= MAX_STEPS || first === undefined || last === undefined) return known;
    const to = this.#hasNewer ? last.created_at : known.to;
    const from = first.created_at;
    return {
      steps: known.steps.filter(({ at }) => at >= from && (to === null || at <= to)),
      from,
      to,
    };
  }
}

/** Both where they meet; else what was asked for last. */
export function joined(known: KnownSteps | null, next: SeenStepList): KnownSteps {
  const begins = (at: number | null) => at ?? -Infinity;
  const ends = (at: number | null) => at ?? Infinity;
  const isMet =
    known !== null && begins(next.from) <= ends(known.to) && ends(next.to) >= begins(known.from);
  if (!isMet) return next;
  const fresh = new Set(next.steps.map(({ id }) => id));
  const kept = known.steps.filter(({ id }) => !fresh.has(id));
  return {
    steps: [...kept, ...next.steps].toSorted((a, b) => a.at - b.at),
    from: begins(known.from) <= begins(next.from) ? known.from : next.from,
    to: ends(known.to) >= ends(next.to) ? known.to : next.to,
  };
}
