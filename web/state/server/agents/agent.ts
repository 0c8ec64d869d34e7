import { computed, signal } from "@preact/signals";
import {
  readAgent,
  readDecisions,
  readSteps,
  readTimeline,
  type SeenAgent,
  type SeenDecision,
  type SeenMessage,
  type SeenStep,
  type SeenStepList,
  type SeenTimelineEvent,
} from "../../../../src/protocol/tolerant-later.ts";
import type { StreamPart } from "../../../model/chat/stream.ts";
import { isGone, type Result } from "../../../net/api.ts";
import { Part } from "../part.ts";
import { PagedQuery, pageOf, Query } from "../query.ts";
import { ChatWindow } from "./chat.ts";
import { PAGE_LENGTH } from "./workspace.ts";
import type { Server } from "../server.ts";

export class AgentState extends Part {
  readonly id: string;
  readonly query = new Query((signal) => {
    const asked = { path: { id: this.id }, read: readAgent, signal };
    return this.server.api.call("GET /api/agents/:id", asked);
  });
  /** Before its first reply from the list. A deleted session must not be shown from an older one. */
  readonly agent = computed(() =>
    isGone(this.query.failure.value) ? null : (this.query.value.value ?? this.#listed()),
  );
  readonly chat: ChatWindow;
  readonly steps: StepTrack;
  /** What is searched in its messages; null: the search is closed. */
  readonly search = signal<string | null>(null);
  /** Null: everything. */
  readonly part = signal<StreamPart | null>(null);
  readonly timeline: PagedQuery<SeenTimelineEvent>;
  readonly decisions: PagedQuery<SeenDecision>;
  readonly #listed: () => SeenAgent | null;

  constructor(id: string, server: Server, listed: () => SeenAgent | null) {
    super(server);
    this.id = id;
    this.#listed = listed;
    const idOf = ({ id: item }: { readonly id: string }) => item;
    this.chat = new ChatWindow(id, server);
    this.steps = new StepTrack(id, server);
    this.timeline = new PagedQuery({
      idOf,
      ask: (cursor, signal) => {
        const query = { cursor, limit: PAGE_LENGTH };
        const asked = { path: { id }, query, read: readTimeline, signal };
        return pageOf(
          server.api.call("GET /api/agents/:id/timeline", asked),
          (page) => page.events,
        );
      },
    });
    this.decisions = new PagedQuery({
      idOf,
      ask: (cursor, signal) => {
        const query = { agent_id: id, cursor, limit: PAGE_LENGTH };
        const asked = { query, read: readDecisions, signal };
        return pageOf(server.api.call("GET /api/decisions", asked), ({ decisions }) => decisions);
      },
    });
  }

  get queries(): readonly Query<unknown>[] {
    const { query, chat, steps, timeline, decisions } = this;
    return [query, chat, steps, timeline, decisions];
  }

  /** Its history was deleted: nothing of it stays in the browser. */
  forget(): void {
    for (const query of this.queries) {
      if (query !== this.query) query.clear();
      query.invalidate();
    }
    this.chat.facts.value = null;
  }
}

/** Least time between reloads by events, since steps change all the time. */
const REST_MS = 2000;
/** Beyond this only steps around the shown messages are kept. */
const MAX_STEPS = 2000;

/** All steps of a stretch of time; a null end is open. */
interface StepStretch {
  readonly steps: readonly SeenStep[];
  readonly from: number | null;
  readonly to: number | null;
}

class StepTrack extends Query<StepStretch> {
  readonly #server: Server;
  readonly #agentId: string;
  #shown: readonly SeenMessage[] = [];
  #hasNewer = false;
  /** Messages around which steps were loaded; a log may have none there. */
  readonly #askedAround = new Set<string | null>();

  constructor(agentId: string, server: Server) {
    super((signal) => this.#newest(signal), REST_MS);
    this.#server = server;
    this.#agentId = agentId;
  }

  /** Loads the missing steps of the shown messages. */
  async cover(messages: readonly SeenMessage[], hasNewer: boolean): Promise<void> {
    this.#shown = messages;
    this.#hasNewer = hasNewer;
    while (!this.isLoading.peek() && this.failure.peek() === null) {
      const around = this.#missing();
      if (around === undefined) return;
      await this.fetchWith((signal) => this.#ask(around, signal));
    }
  }

  override clear(): void {
    super.clear();
    this.#askedAround.clear();
  }

  /** Id of the message to load around next; null for the end, undefined for none. */
  #missing(): string | null | undefined {
    const known = this.value.peek();
    const shown = this.#shown;
    const [first, last] = [shown[0], shown.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const { from, to } = stretchOf(known);
    const isApart = known === null || to < first.created_at || from > last.created_at;
    const ends = [
      shown.findLast((one) => one.created_at <= from)?.id,
      shown.find((one) => one.created_at >= to)?.id,
    ];
    const middle = this.#hasNewer ? shown[Math.floor(shown.length / 2)]?.id : null;
    const next = isApart ? [middle] : ends;
    return next.find((id) => id !== undefined && !this.#askedAround.has(id));
  }

  /** Not while older messages are shown. */
  async #newest(signal: AbortSignal): Promise<Result<StepStretch>> {
    const known = this.value.peek();
    if (known === null || !this.#hasNewer) return this.#ask(null, signal);
    // Another object after a failure, since what could not be read is read now.
    return { ok: true, value: this.failure.peek() === null ? known : { ...known } };
  }

  async #ask(around: string | null, signal: AbortSignal): Promise<Result<StepStretch>> {
    const result = await this.#server.api.call("GET /api/agents/:id/steps", {
      path: { id: this.#agentId },
      query: { around },
      read: readSteps,
      signal,
    });
    if (!result.ok || signal.aborted) return result;
    if (around !== null) this.#askedAround.add(around);
    return { ok: true, value: this.#within(mergeStretches(this.value.peek(), result.value)) };
  }

  #within(known: StepStretch): StepStretch {
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

/** Joins stretches that meet; else only `next`. */
export function mergeStretches(known: StepStretch | null, next: SeenStepList): StepStretch {
  const [before, after] = [stretchOf(known), stretchOf(next)];
  if (known === null || after.from > before.to || after.to < before.from) return next;
  const fresh = new Set(next.steps.map(({ id }) => id));
  const kept = known.steps.filter(({ id }) => !fresh.has(id));
  return {
    steps: [...kept, ...next.steps].toSorted((a, b) => a.at - b.at),
    from: before.from <= after.from ? known.from : next.from,
    to: before.to >= after.to ? known.to : next.to,
  };
}

/** Epoch seconds; infinite at an open end. */
const stretchOf = (known: Pick<StepStretch, "from" | "to"> | null) => ({
  from: known?.from ?? -Infinity,
  to: known?.to ?? Infinity,
});
