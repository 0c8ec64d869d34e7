import type { FirstMessageFate } from "../protocol/creation.ts";
import type { PaneReading } from "../terminal/reading.ts";
import { obstacleOf, requireMessage } from "./refusals.ts";
import {
  type Job,
  type JobFate,
  type JobSight,
  MAY_HAVE_ARRIVED,
  UnattendedSender,
} from "./unattended.ts";

/** A program that has taken nothing for so long will not be ready by itself. */
const READY_WITHIN_SECONDS = 120;
const READ_AGAIN_SECONDS = 5;
const MAX_MESSAGES = 50;

interface FirstMessage extends Job {
  /** Empty until a pass has listed its pane. */
  identity: string;
  /** Monotonic seconds. */
  readonly since: number;
  fate: FirstMessageFate;
}

/**
 * The first message of a new agent: typed once, when the program is idle and its input line empty.
 * Kept in memory alone: after a restart nothing is sent.
 */
export class FirstMessages extends UnattendedSender<FirstMessage> {
  protected readonly kind = "first_message";
  protected readonly againSeconds = READ_AGAIN_SECONDS;
  readonly #messages = new Map<string, FirstMessage>();

  /** @throws AppError `invalid` for control characters and for a text that is too long */
  check(text: string): void {
    requireMessage(text);
  }

  add(id: string, text: string): void {
    this.#messages.set(id, {
      ...{ id, identity: "", text, since: this.deps.clock.monotonic() },
      fate: { state: "waiting", reason: null },
    });
    const oldest = this.#messages.values().find(({ fate }) => fate.state !== "waiting");
    if (this.#messages.size > MAX_MESSAGES && oldest) this.#messages.delete(oldest.id);
  }

  of(paneId: string): FirstMessageFate | null {
    return this.#messages.get(paneId)?.fate ?? null;
  }

  protected waiting(): FirstMessage[] {
    const waiting = [...this.#messages.values()].filter(({ fate }) => fate.state === "waiting");
    for (const message of waiting)
      message.identity ||= this.deps.queue.find(message.id)?.identity ?? "";
    return waiting;
  }

  protected look({ identity, since }: FirstMessage, { pane }: JobSight) {
    // A pane that no pass has listed yet is not gone: the pass after its creation may have failed.
    if (pane === null && identity !== "") return { drop: "its pane is gone" };
    if (this.deps.clock.monotonic() - since < READY_WITHIN_SECONDS)
      return pane?.status === "idle" && pane.agent && pane.actionable ? "send" : "wait";
    const asks = pane?.status === "needs_input";
    return { drop: asks ? "it asks something first" : "it was not ready within two minutes" };
  }

  protected accept(_: FirstMessage, now: PaneReading) {
    return obstacleOf(now, "idle") === null ? null : "prompt_changed";
  }

  protected async begin(): Promise<void> {}

  protected async end(message: FirstMessage, fate: JobFate): Promise<void> {
    // It keeps waiting: the next pass tries it again.
    if (fate.state === "unsent") return;
    message.fate =
      fate.state === "sent"
        ? { state: "sent", reason: null }
        : { state: "not_sent", reason: fate.reason ?? MAY_HAVE_ARRIVED };
  }
}
