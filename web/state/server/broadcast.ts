import { signal } from "@preact/signals";
import { appearanceOf, isGuarded, takesInput, type Pane, waits } from "../../model/pane.ts";
import { type FailureStep, failureStep } from "../../net/api.ts";
import { spelled } from "../../words/refusals.ts";
import { Part } from "./part.ts";

export type BroadcastOutcome =
  | { readonly step: "writing" }
  | { readonly step: "sending" }
  | { readonly step: "done"; readonly sent: number; readonly failures: readonly FailedRecipient[] }
  /** Also used when no recipient takes input now. */
  | FailureStep;

/** For all retries together; the server writes to eight of up to 200 panes at a time. */
const DEADLINE_MS = 30_000;

export class Broadcast extends Part {
  readonly text = signal("");
  readonly enter = signal(true);
  readonly chosen = signal<ReadonlySet<string>>(new Set());
  readonly outcome = signal<BroadcastOutcome>({ step: "writing" });

  write(text: string): void {
    this.text.value = text;
    this.#rewrite();
  }

  choose(ids: Iterable<string>): void {
    this.chosen.value = new Set(ids);
    this.#rewrite();
  }

  toggle(id: string): void {
    const next = new Set(this.chosen.value);
    if (!next.delete(id)) next.add(id);
    this.choose(next);
  }

  /**
   * Sends once, to the recipients that were on the screen and still take it; the server skips panes
   * that wait.
   */
  async send(seen: readonly string[]): Promise<void> {
    const { api, canAnswer, panes, outbox } = this.server;
    if (this.outcome.peek().step === "sending") return;
    const recipients = recipientsOf(panes.all.peek(), new Set(seen), (id) => outbox.isHeld(id));
    const ids = recipients.map(({ id }) => id);
    const text = this.text.peek();
    const lock = canAnswer.peek() && ids.length > 0 ? outbox.acquire(ids, text) : null;
    if (lock === null) {
      this.outcome.value = { step: "refused", reason: "" };
      return;
    }
    this.outcome.value = { step: "sending" };
    const enter = this.enter.peek();
    const result = await lock.send(
      (lockToken, idempotency_key, signal) =>
        api.call("POST /api/broadcast", {
          lockToken,
          signal,
          json: { ids, text, enter, skip_waiting: true, idempotency_key },
        }),
      {
        deadlineMs: DEADLINE_MS,
        unclear: ({ errors }) =>
          readFailures(errors, recipients).flatMap((one) => (mayHaveArrived(one) ? one.id : [])),
      },
    );
    if (!result.ok) {
      const outcome = (this.outcome.value = failureStep(result.failure));
      if (outcome.step === "uncertain") this.chosen.value = new Set();
      return;
    }
    const failures = readFailures(result.value.errors, recipients);
    this.outcome.value = { step: "done", sent: result.value.sent, failures };
    // Only panes that certainly did not get it stay chosen.
    const failed = failures.filter((one) => one.id !== "" && !mayHaveArrived(one));
    this.chosen.value = new Set(failed.map(({ id }) => id));
    if (failures.length === 0 && this.text.peek() === text) this.text.value = "";
  }

  #rewrite(): void {
    if (this.outcome.peek().step !== "sending") this.outcome.value = { step: "writing" };
  }
}

export const MAX_RECIPIENTS = 200;

type ExclusionReason = "waiting" | "offline" | "stale" | "guarded" | "read_only" | "held";

/** Whether the outbox holds the pane. */
type IsHeld = (paneId: string) => boolean;

export function exclusionReason(pane: Pane, isHeld: IsHeld): ExclusionReason | null {
  const appearance = appearanceOf(pane);
  if (appearance === "offline" || appearance === "stale") return appearance;
  if (waits(pane)) return "waiting";
  if (isGuarded(pane)) return "guarded";
  if (isHeld(pane.id)) return "held";
  return takesInput(pane) && pane.capabilities.broadcast ? null : "read_only";
}

export function recipientsOf(
  panes: readonly Pane[],
  chosen: ReadonlySet<string>,
  isHeld: IsHeld,
): readonly Pane[] {
  return panes
    .filter((pane) => chosen.has(pane.id) && exclusionReason(pane, isHeld) === null)
    .slice(0, MAX_RECIPIENTS);
}

export interface FailedRecipient {
  readonly id: string;
  readonly name: string;
  readonly reason: string;
}

/** The server could not tell whether it arrived. */
const mayHaveArrived = ({ reason }: FailedRecipient): boolean =>
  reason.endsWith("delivery_unknown") || reason === "internal error";

export const failedText = (failed: FailedRecipient): string =>
  mayHaveArrived(failed)
    ? "It may have arrived. Look at its terminal first."
    : spelled(failed.reason);

/** Errors are `<id>: <reason>`. An id may contain a colon, so recipients are matched by prefix. */
export function readFailures(
  errors: readonly string[],
  recipients: readonly Pick<Pane, "id" | "name">[],
): readonly FailedRecipient[] {
  return errors.map((error) => {
    const pane = recipients.find(({ id }) => error.startsWith(`${id}: `));
    if (pane === undefined) return { id: "", name: "", reason: error };
    return { id: pane.id, name: pane.name, reason: error.slice(pane.id.length + 2) };
  });
}
