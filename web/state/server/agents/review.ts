import { batch, computed, effect, signal, untracked } from "@preact/signals";
import {
  readReviewed,
  readReviewedAll,
  type SeenGroup,
  type SeenReview,
} from "../../../../src/protocol/tolerant-agents.ts";
import { drawCards, keepCards, redraw, type Card } from "../../../model/queue/cards.ts";
import type { Failure } from "../../../net/api.ts";
import { Signals } from "../../signals.ts";
import type { Workspace } from "./workspace.ts";

export type Mark =
  | { readonly step: "marking" }
  /** `at` is the snapshot's time in epoch seconds: what came later is not reviewed. */
  | { readonly step: "reviewed"; readonly at: number }
  /** Nothing has moved; the same again is safe. */
  | { readonly step: "failed"; readonly failure: Failure };

/** What was marked as reviewed, by agent: the snapshot on the screen and no other, one at a time. */
export class Marks {
  readonly #workspace: Workspace;
  readonly #marks = new Signals<Mark | null>(null);
  /** Whether anything was marked since the screen was opened: the first says that it lasts. */
  readonly count = signal(0);

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  of = (agentId: string) => this.#marks.of(agentId);

  /** Sends the snapshot of the group as it is drawn. True once the server has it. */
  async mark({ agent_id: id, ...group }: SeenGroup): Promise<boolean> {
    const { server } = this.#workspace;
    const mark = this.of(id);
    const { as_of_snapshot_id: snapshot_id, as_of_snapshot_at: at } = group;
    if (snapshot_id === null || mark.value?.step === "marking") return false;
    mark.value = { step: "marking" };
    const result = await server.api.call("PUT /api/agents/:id/review", {
      ...{ path: { id }, json: { snapshot_id }, read: readReviewed },
    });
    mark.value = result.ok
      ? { step: "reviewed", at: at ?? result.value.snapshot_at }
      : { step: "failed", failure: result.failure };
    if (result.ok) this.count.value += 1;
    // Also after a failure: the server may have it all the same.
    this.#workspace.reread();
    return result.ok;
  }

  /** Sends exactly these, as they are drawn, in one question. */
  async markAll(groups: readonly SeenGroup[]): Promise<void> {
    const snapshots = groups.flatMap(({ agent_id, as_of_snapshot_id: snapshot_id }) =>
      snapshot_id === null ? [] : { agent_id, snapshot_id },
    );
    const set = (mark: (group: SeenGroup) => Mark) =>
      batch(() => {
        for (const group of groups) this.of(group.agent_id).value = mark(group);
      });
    set(() => ({ step: "marking" }));
    const result = await this.#workspace.server.api.call("PUT /api/review/all", {
      ...{ json: { snapshots }, read: readReviewedAll },
    });
    set((group) =>
      result.ok
        ? { step: "reviewed", at: group.as_of_snapshot_at ?? 0 }
        : { step: "failed", failure: result.failure },
    );
    if (result.ok) this.count.value += groups.length;
    this.#workspace.reread();
  }

  clear(agentId?: string): void {
    if (agentId !== undefined) {
      this.of(agentId).value = null;
      return;
    }
    this.#marks.clear();
    this.count.value = 0;
  }
}

/** The review as it stands on the screen: drawn when it is entered, and kept in place from then on. */
export class Board {
  readonly cards = signal<readonly Card[]>([]);
  /** Null until they were read. */
  readonly drawn = computed(() => (this.#hasRead.value ? this.cards.value : null));
  readonly #workspace: Workspace;
  readonly #hasRead = signal(false);
  #isDrawn = false;
  #visit = -1;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /**
   * The screen is entered: nothing that was folded away comes back. The same visit in another layout
   * leaves all as it stands.
   */
  enter(visit: number): void {
    if (visit === this.#visit) return;
    this.#visit = visit;
    this.#workspace.marks.clear();
    this.#isDrawn = false;
    this.#take(this.#workspace.review.value.peek());
  }

  follow(): () => void {
    return effect(() => {
      const review = this.#workspace.review.value.value;
      untracked(() => this.#take(review));
    });
  }

  show(agentId: string): void {
    this.#workspace.marks.clear(agentId);
    this.cards.value = redraw(this.cards.value, agentId);
  }

  card(agentId: string): Card | null {
    return this.cards.value.find((card) => card.agentId === agentId) ?? null;
  }

  #take(review: SeenReview | null): void {
    if (review === null) return;
    if (!this.#isDrawn) {
      this.#isDrawn = true;
      this.cards.value = drawCards(review, this.cards.peek());
      this.#hasRead.value = true;
      return;
    }
    const { marks, server } = this.#workspace;
    const isBack = ({ agent_id }: SeenGroup) => this.card(agent_id)?.latest === null;
    for (const { agent_id } of review.groups.filter(isBack)) marks.clear(agent_id);
    // What was marked keeps its place as a quiet line; what stands beside the list is being read.
    const isKept = (id: string) =>
      server.queue.isRead(`agent:${id}`) || marks.of(id).value !== null;
    this.cards.value = keepCards(this.cards.value, review, isKept);
  }
}
