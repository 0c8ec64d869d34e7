import type { Pane } from "../../model/pane.ts";
import { isStoppable } from "../../model/work.ts";
import { failureStep } from "../../net/api.ts";
import { Signals, Part } from "./part.ts";

/** An agent that still works after this has ignored it. */
const STILL_MS = 5000;
const SHOWN_MS = 5000;

/** The state of a stop. */
export type Stop =
  | { readonly step: "stopping" | "stopped" | "still" }
  | { readonly step: "refused"; readonly reason: string };

/** Sends Esc to a working agent once, and watches whether it stops. */
export class Stops extends Part {
  readonly #stops = new Signals<Stop | null>(null);

  of = (paneId: string) => this.#stops.of(paneId);

  can(pane: Pane): boolean {
    return this.server.config.has("stop_v1") && this.server.may("type") && isStoppable(pane);
  }

  async press(pane: Pane): Promise<void> {
    const { api, canAnswer, outbox, panes } = this.server;
    const latest = panes.latest(pane.id);
    if (latest === null || !this.can(latest) || !canAnswer.peek()) return;
    const lock = outbox.acquire([pane.id], "Escape");
    if (lock === null) return;
    const stopping: Stop = { step: "stopping" };
    this.of(pane.id).value = stopping;
    const result = await lock.send((lockToken, key, signal) =>
      api.call("POST /api/stop", {
        lockToken,
        signal,
        json: { id: pane.id, idempotency_key: key },
      }),
    );
    if (result.ok) return this.#watch(pane.id, stopping, STILL_MS);
    // A doubt is shown with the pane.
    const outcome = failureStep(result.failure);
    this.#show(pane.id, outcome.step === "refused" ? outcome : null);
  }

  /** Watches until the agent stops, the time is over, or it is pressed again. */
  #watch(paneId: string, stopping: Stop, leftMs: number): void {
    if (this.of(paneId).peek() !== stopping) return;
    const status = this.server.panes.latest(paneId)?.status;
    if (status === "working") {
      if (leftMs <= 0) return this.#show(paneId, { step: "still" }, SHOWN_MS * 4);
      return void setTimeout(() => this.#watch(paneId, stopping, leftMs - 250), 250);
    }
    this.#show(paneId, status === "needs_input" ? null : { step: "stopped" });
  }

  #show(paneId: string, stop: Stop | null, forMs = SHOWN_MS): void {
    const shown = this.of(paneId);
    shown.value = stop;
    setTimeout(() => shown.peek() === stop && (shown.value = null), forMs);
  }
}
