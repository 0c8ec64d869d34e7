import { batch, signal, type Signal } from "@preact/signals";
import type { SeenGroup } from "../../../../src/protocol/tolerant-agents.ts";
import type { AgentsApi } from "../../../net/agents-api.ts";
import type { Failure } from "../../../net/api.ts";

/** Where one mark stands. */
export type Mark =
  | { readonly step: "marking" }
  /** `at` is the snapshot's time in epoch seconds: what came later is not reviewed. */
  | { readonly step: "reviewed"; readonly at: number }
  /** Nothing has moved; the same again is safe. */
  | { readonly step: "failed"; readonly failure: Failure };

export interface MarksDeps {
  readonly api: AgentsApi;
  readonly changed: () => void;
}

/** What was marked as reviewed, by agent: the snapshot on the screen and no other, one at a time. */
export class Marks {
  readonly #deps: MarksDeps;
  readonly #marks = new Map<string, Signal<Mark | null>>();
  /** Whether anything was marked since the screen was opened: the first says that it lasts. */
  readonly count = signal(0);

  constructor(deps: MarksDeps) {
    this.#deps = deps;
  }

  of(agentId: string): Signal<Mark | null> {
    const known = this.#marks.get(agentId);
    if (known !== undefined) return known;
    const mark = signal<Mark | null>(null);
    this.#marks.set(agentId, mark);
    return mark;
  }

  /** Sends the snapshot of the group as it is drawn. True once the server has it. */
  async mark({ agent_id, as_of_snapshot_id, as_of_snapshot_at }: SeenGroup): Promise<boolean> {
    const mark = this.of(agent_id);
    if (as_of_snapshot_id === null || mark.value?.step === "marking") return false;
    mark.value = { step: "marking" };
    const result = await this.#deps.api.acknowledge(agent_id, as_of_snapshot_id);
    if (result.ok) {
      mark.value = { step: "reviewed", at: as_of_snapshot_at ?? result.value.snapshot_at };
      this.count.value += 1;
    } else {
      mark.value = { step: "failed", failure: result.failure };
    }
    // Also after a failure: the server may have it all the same.
    this.#deps.changed();
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
    const result = await this.#deps.api.acknowledgeAll(snapshots);
    if (result.ok) {
      set((group) => ({ step: "reviewed", at: group.as_of_snapshot_at ?? 0 }));
      this.count.value += groups.length;
    } else {
      const { failure } = result;
      set(() => ({ step: "failed", failure }));
    }
    this.#deps.changed();
  }

  /** The screen was left, or the card was drawn anew. */
  clear(agentId?: string): void {
    if (agentId !== undefined) {
      this.of(agentId).value = null;
      return;
    }
    for (const mark of this.#marks.values()) mark.value = null;
    this.count.value = 0;
  }
}
