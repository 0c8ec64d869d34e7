import { AppError } from "../errors.ts";
import type { FirstMessageFate } from "../protocol/creation.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { Reading } from "../terminal/reading.ts";
import type { ActionQueue } from "./action-queue.ts";
import { draftToldBy, pressUntilTaken, typeGuarded } from "./answer.ts";
import { NOBODY } from "./client.ts";
import { requireLiteral } from "./literal.ts";

/** A program that asks nothing and takes nothing for so long will not be written to by itself. */
const READY_WITHIN_SECONDS = 120;
const READ_AGAIN_SECONDS = 5;
const KEPT = 50;

export interface FirstMessagesDeps {
  queue: Pick<ActionQueue, "run" | "find">;
  clock: { monotonic(): number };
}

interface Message {
  readonly text: string;
  readonly since: number;
  /** Of the pane when it was first listed: an id may be given out again. */
  identity: string | null;
  fate: FirstMessageFate;
  isTrying: boolean;
  /** The state that was found not to take it, and when. Monotonic seconds. */
  tried: { state: PaneState; at: number } | null;
}

/**
 * What agents that were just created are told first: typed in once, as soon as the program is idle
 * and its input line is live and empty. Kept in memory alone: after a restart nothing is sent.
 */
export class FirstMessages {
  readonly #deps: FirstMessagesDeps;
  readonly #messages = new Map<string, Message>();

  constructor(deps: FirstMessagesDeps) {
    this.#deps = deps;
  }

  /** @throws AppError `invalid` for control characters and for a text that is too long */
  check(text: string): void {
    requireLiteral(text);
  }

  add(paneId: string, text: string): void {
    const since = this.#deps.clock.monotonic();
    const fate: FirstMessageFate = { state: "waiting", reason: null };
    this.#messages.set(paneId, { text, since, identity: null, fate, isTrying: false, tried: null });
    const [oldest] = this.#messages.keys();
    if (this.#messages.size > KEPT && oldest !== undefined) this.#messages.delete(oldest);
  }

  /** Null for a pane that was given none. */
  of(paneId: string): FirstMessageFate | null {
    return this.#messages.get(paneId)?.fate ?? null;
  }

  /** After each pass. */
  follow(panes: readonly PaneState[]): void {
    for (const [id, message] of this.#messages) {
      if (message.fate.state !== "waiting" || message.isTrying) continue;
      const pane = panes.find((one) => one.id === id) ?? null;
      const why = this.#whyNever(message, id, pane);
      if (why !== null) message.fate = { state: "not_sent", reason: why };
      else if (pane?.status === "idle" && pane.agent !== null && pane.actionable)
        this.#tryOnce(id, message, pane);
    }
  }

  /** A screen that is the same refuses again: it is read anew only now and then. */
  #tryOnce(id: string, message: Message, state: PaneState): void {
    const at = this.#deps.clock.monotonic();
    const { tried } = message;
    if (tried?.state === state && at - tried.at < READ_AGAIN_SECONDS) return;
    message.tried = { state, at };
    void this.#try(id, message);
  }

  #whyNever(message: Message, id: string, pane: PaneState | null): string | null {
    const listed = this.#deps.queue.find(id);
    if (pane === null || listed === null) return "its pane is gone";
    message.identity ??= listed.identity;
    if (listed.identity !== message.identity) return "its pane is gone";
    if (this.#deps.clock.monotonic() - message.since < READY_WITHIN_SECONDS) return null;
    if (pane.status === "needs_input") return "it asks something first";
    return "it was not ready within two minutes";
  }

  async #try(id: string, message: Message): Promise<void> {
    message.isTrying = true;
    const listed = this.#deps.queue.find(id);
    let hasSent = false;
    try {
      await this.#deps.queue.run(
        { id, listed },
        { kind: "first_message", client: NOBODY, said: { text: message.text } },
        async (slot) => {
          try {
            await typeGuarded(slot, { text: message.text, enter: true }, (now) =>
              requireReady(now, message.identity),
            );
            await pressUntilTaken(slot, message.text);
          } finally {
            hasSent = slot.hasSent;
          }
        },
      );
      message.fate = { state: "sent", reason: null };
    } catch (error) {
      // Where nothing has left, a pass that shows something else looks again.
      const reason = draftToldBy(error) ?? "it may have arrived: look at its terminal";
      if (hasSent) message.fate = { state: "not_sent", reason };
    } finally {
      message.isTrying = false;
    }
  }
}

/** @throws AppError conflict while it does not surely take a text, and nothing else */
function requireReady(
  { state, pane, prompt, finding, composer }: Reading,
  identity: string | null,
) {
  const isIdle = state.status === "idle" && prompt === null && !finding.keepsPrevious;
  const isEmpty = composer?.holds === "nothing";
  if (!isIdle || !isEmpty || pane.identity !== identity)
    throw new AppError("conflict", "the agent does not take a message yet");
  return null;
}
