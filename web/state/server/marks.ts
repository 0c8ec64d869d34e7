import { signal } from "@preact/signals";
import { readReviewMark, readReviewMarks } from "../../../src/protocol/tolerant-later.ts";
import type { Card } from "../../model/queue.ts";
import { Part } from "./part.ts";

/** `failed`: nothing has moved, and the same again is safe. */
export type MarkStep = "marking" | "reviewed" | "failed";

/** What was marked as reviewed: the snapshot that was on the screen and no other, one at a time. */
export class Marks extends Part {
  /** Whether anything was marked: the first time says that it lasts. */
  areMade = false;
  /** By snapshot. */
  readonly #steps = signal<ReadonlyMap<string, MarkStep>>(new Map());

  /** Where the mark of this very snapshot stands. */
  of({ snapshot_id }: Card): MarkStep | null {
    return this.#steps.value.get(snapshot_id ?? "") ?? null;
  }

  /** Sends exactly these snapshots, in one question. True once the server has them. */
  async mark(cards: readonly Card[]): Promise<boolean> {
    const snapshots = cards.flatMap((card) => {
      const { agent_id, snapshot_id } = card;
      const isOpen = agent_id !== null && snapshot_id !== null && this.of(card) !== "marking";
      return isOpen ? { agent_id, snapshot_id } : [];
    });
    const [first, ...others] = snapshots;
    if (first === undefined) return false;
    const set = (step: MarkStep) => {
      const steps = snapshots.map(({ snapshot_id }) => [snapshot_id, step] as const);
      this.#steps.value = new Map([...this.#steps.peek(), ...steps]);
    };
    set("marking");
    const { api } = this.server;
    const { agent_id: id, snapshot_id } = first;
    const { ok } =
      others.length === 0
        ? await api.call("PUT /api/agents/:id/review", {
            path: { id },
            json: { snapshot_id },
            read: readReviewMark,
          })
        : await api.call("PUT /api/review/all", { json: { snapshots }, read: readReviewMarks });
    set(ok ? "reviewed" : "failed");
    return ok;
  }
}
