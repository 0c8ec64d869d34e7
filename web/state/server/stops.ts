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
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

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
    this.#set(pane.id, { step: "stopping" });
    const result = await lock.send((lockToken, key, signal) =>
      api.call("POST /api/stop", {
        lockToken,
        signal,
        json: { id: pane.id, idempotency_key: key },
      }),
    );
    if (result.ok) return this.#watch(pane.id, STILL_MS);
    // A doubt is shown with the pane.
    const outcome = failureStep(result.failure);
    this.#set(pane.id, outcome.step === "refused" ? outcome : null, SHOWN_MS);
  }

  /** Watches until the agent stops, or the time is over. */
  #watch(paneId: string, leftMs: number): void {
    const pane = this.server.panes.latest(paneId);
    if (pane !== null && pane.status === "working") {
      if (leftMs <= 0) return this.#set(paneId, { step: "still" }, SHOWN_MS * 4);
      return this.#later(paneId, 250, () => this.#watch(paneId, leftMs - 250));
    }
    this.#set(paneId, pane?.status === "needs_input" ? null : { step: "stopped" }, SHOWN_MS);
  }

  #set(paneId: string, stop: Stop | null, forMs = Infinity): void {
    this.of(paneId).value = stop;
    this.#later(paneId, forMs, () => (this.of(paneId).value = null));
  }

  #later(paneId: string, ms: number, run: () => void): void {
    clearTimeout(this.#timers.get(paneId));
    if (ms < Infinity) this.#timers.set(paneId, setTimeout(run, ms));
  }
}
