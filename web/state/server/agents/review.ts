import { signal } from "@preact/signals";
import {
  readReviewed,
  readReviewedAll,
  type SeenGroup,
} from "../../../../src/protocol/tolerant-agents.ts";
import type { Workspace } from "./workspace.ts";

/** `failed`: nothing has moved, and the same again is safe. */
export type MarkStep = "marking" | "reviewed" | "failed";

interface Mark {
  readonly snapshotId: string;
  readonly step: MarkStep;
}

/** What was marked as reviewed, by agent: the snapshot that was on the screen and no other, one at a time. */
export class Marks {
  /** Whether anything was marked: the first time says that it lasts. */
  areMade = false;
  readonly #workspace: Workspace;
  readonly #marks = signal<ReadonlyMap<string, Mark>>(new Map());

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Where the mark of this very snapshot stands. */
  of({ agent_id, as_of_snapshot_id }: SeenGroup): MarkStep | null {
    const mark = this.#marks.value.get(agent_id);
    return mark?.snapshotId === as_of_snapshot_id ? mark.step : null;
  }

  /** Sends exactly these snapshots, in one question. True once the server has them. */
  async mark(groups: readonly SeenGroup[]): Promise<boolean> {
    const isUnderWay = (group: SeenGroup) => this.of(group) === "marking";
    const snapshots = groups.flatMap((group) => {
      const { agent_id, as_of_snapshot_id: snapshot_id } = group;
      return snapshot_id === null || isUnderWay(group) ? [] : { agent_id, snapshot_id };
    });
    const [first, ...others] = snapshots;
    if (first === undefined) return false;
    const set = (step: MarkStep) => {
      const marks = snapshots.map(
        ({ agent_id, snapshot_id: snapshotId }) => [agent_id, { snapshotId, step }] as const,
      );
      this.#marks.value = new Map([...this.#marks.peek(), ...marks]);
    };
    set("marking");
    const { api } = this.#workspace.server;
    const { agent_id: id, snapshot_id } = first;
    const { ok } =
      others.length === 0
        ? await api.call("PUT /api/agents/:id/review", {
            ...{ path: { id }, json: { snapshot_id }, read: readReviewed },
          })
        : await api.call("PUT /api/review/all", { json: { snapshots }, read: readReviewedAll });
    set(ok ? "reviewed" : "failed");
    // Also after a failure: the server may have it all the same.
    this.#workspace.reread();
    return ok;
  }

  clear(agentId?: string): void {
    const left = agentId === undefined ? [] : this.#marks.peek();
    this.#marks.value = new Map([...left].filter(([id]) => id !== agentId));
  }
}
