import { signal } from "@preact/signals";
import { emptyPlan, leave, parsePlan, type Plan } from "../../../model/queue/kept.ts";
import { Kept, storedMembers } from "../../../model/stored.ts";

/** What the browser keeps of collected answers: of decisions, by ids, revisions and fingerprints. */
export class KeptPlan {
  /** Answers are on their way, one after another. */
  readonly isSending = signal(false);
  readonly #kept: Kept<Plan>;
  readonly #revision = signal(0);

  constructor(storage: Storage) {
    this.#kept = new Kept(storage, "plan", readPlan);
  }

  get(): Plan {
    // Another tab may write it: what is stored is what holds.
    void this.#revision.value;
    return this.#kept.get();
  }

  set(plan: Plan): void {
    this.#kept.set(Object.keys(plan.choices).length === 0 ? null : plan);
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

function readPlan(stored: string | null): Plan {
  return parsePlan(storedMembers(stored)) ?? emptyPlan("");
}
