import type { Card } from "../../model/queue.ts";
import { Part, Signals } from "./part.ts";

/** `failed`: nothing was marked, and it may be sent again. */
type MarkStep = "marking" | "reviewed" | "failed";

/** Marks snapshots as reviewed, exactly those on the screen, one request at a time. */
export class Marks extends Part {
  /** Whether anything was marked since the page was loaded. */
  areMade = false;
  /** By snapshot id. */
  readonly #steps = new Signals<MarkStep | null>(null);

  of({ snapshot_id }: Card): MarkStep | null {
    return this.#steps.of(snapshot_id ?? "").value;
  }

  /** In one request. True once the server has them. */
  async mark(cards: readonly Card[]): Promise<boolean> {
    const snapshots = cards.flatMap((card) => {
      const { agent_id, snapshot_id } = card;
      const isOpen = agent_id !== null && snapshot_id !== null && this.of(card) !== "marking";
      return isOpen ? { agent_id, snapshot_id } : [];
    });
    const [first, ...others] = snapshots;
    if (first === undefined) return false;
    const set = (step: MarkStep) => {
      for (const { snapshot_id } of snapshots) this.#steps.of(snapshot_id).value = step;
    };
    set("marking");
    const { api } = this.server;
    const { agent_id: id, snapshot_id } = first;
    const { ok } =
      others.length === 0
        ? await api.call("PUT /api/agents/:id/review", {
            path: { id },
            json: { snapshot_id },
          })
        : await api.call("PUT /api/review/all", { json: { snapshots } });
    set(ok ? "reviewed" : "failed");
    return ok;
  }
}
