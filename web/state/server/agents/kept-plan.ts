import { signal } from "@preact/signals";
import { emptyPlan, leave, parsePlan, type Plan } from "../../../model/queue/kept.ts";
import { PLAN_KEY } from "../workspace-switch.ts";

/** What the browser keeps of collected answers: of decisions, by ids, revisions and fingerprints. */
export class KeptPlan {
  /** Answers are on their way, one after another. */
  readonly isSending = signal(false);
  readonly #storage: Storage;
  readonly #revision = signal(0);

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  get(): Plan {
    // Another tab may write it: what is stored is what holds.
    void this.#revision.value;
    try {
      return parsePlan(JSON.parse(this.#storage.getItem(PLAN_KEY) ?? "null")) ?? emptyPlan("");
    } catch {
      return emptyPlan("");
    }
  }

  set(plan: Plan): void {
    if (Object.keys(plan.choices).length === 0) this.#storage.removeItem(PLAN_KEY);
    else this.#storage.setItem(PLAN_KEY, JSON.stringify(plan));
    this.#revision.value += 1;
  }

  /** How many of these decisions have an answer that waits to be sent. */
  heldFor(decisionIds: ReadonlySet<string>): number {
    return Object.keys(this.get().choices).filter((id) => decisionIds.has(id)).length;
  }

  /** These decisions are gone for good. */
  forget(decisionIds: ReadonlySet<string>): void {
    const kept = this.get();
    const left = leave(kept, decisionIds);
    if (left !== kept) this.set(left);
  }
}
