import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { LIFETIME_SECONDS, type Message } from "./message.ts";
import type { Outcome } from "./transport.ts";

/** What became of a message, or why it was not sent: its cause was gone before. */
export type Delivered = Outcome | { is: "dropped" };

export interface DeliveryDeps {
  send: (device: string, message: Message) => Promise<Outcome>;
  /** Whether the cause of this message still stands; asked before each try. */
  isDue: (device: string, message: Message) => boolean;
  /** Told once for each message, in the end. */
  done: (device: string, message: Message, delivered: Delivered) => void;
  clock: Pick<Clock, "monotonic">;
  log: Log;
  /** Waits, or ends at once with the signal. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Before the second, third and fourth try. */
const BACKOFF_MS = [1000, 4000, 16_000];

interface Job {
  message: Message;
  at: number;
}

/**
 * Sends in the background, one message after another to each device and all devices at the same
 * time: one that hangs delays nobody else. At most one message per tag waits; a newer one takes the
 * place of one that is still waiting.
 */
export class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #queues = new Map<string, Map<string, Job>>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  push(device: string, message: Message): void {
    if (this.#stopping.signal.aborted) return;
    const queue = this.#queues.get(device) ?? new Map<string, Job>();
    this.#queues.set(device, queue);
    const waiting = queue.get(message.tag);
    queue.delete(message.tag);
    if (waiting) this.#deps.done(device, waiting.message, { is: "dropped" });
    // Where the alert itself never left, there is nothing to take back.
    const isNeedless = waiting?.message.kind === "pane" && message.kind === "answered";
    if (!isNeedless) queue.set(message.tag, { message, at: this.#deps.clock.monotonic() });
    if (!this.#running.has(device)) this.#start(device, queue);
  }

  /** How many messages wait or are under way. */
  get size(): number {
    return [...this.#queues.values()].reduce((sum, queue) => sum + queue.size, this.#running.size);
  }

  /** What is under way ends or is given up; nothing new begins. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running.values());
  }

  #start(device: string, queue: Map<string, Job>): void {
    const ended = this.#empty(device, queue).finally(() => this.#running.delete(device));
    this.#running.set(device, ended);
  }

  async #empty(device: string, queue: Map<string, Job>): Promise<void> {
    for (let next = take(queue); next; next = take(queue)) {
      const { message, at } = next;
      try {
        this.#deps.done(device, message, await this.#try(device, queue, message, at));
      } catch (error) {
        this.#deps.log.error("an alert could not be sent", error);
      }
    }
    this.#queues.delete(device);
  }

  async #try(
    device: string,
    queue: ReadonlyMap<string, Job>,
    message: Message,
    at: number,
  ): Promise<Delivered> {
    const { signal } = this.#stopping;
    let outcome: Delivered = { is: "dropped" };
    for (const [tries, backoffMs] of [0, ...BACKOFF_MS].entries()) {
      if (tries > 0) {
        const afterMs = outcome.is === "later" ? outcome.afterMs : 0;
        await this.#deps.pause(Math.max(backoffMs, afterMs), signal);
      }
      const isLate = this.#deps.clock.monotonic() - at > LIFETIME_SECONDS;
      const isReplaced = queue.has(message.tag);
      if (signal.aborted || isLate || isReplaced || !this.#deps.isDue(device, message))
        return { is: "dropped" };
      outcome = await this.#deps.send(device, message);
      if (outcome.is !== "later") return outcome;
    }
    return outcome;
  }
}

function take(queue: Map<string, Job>): Job | null {
  const [first] = queue;
  if (!first) return null;
  queue.delete(first[0]);
  return first[1];
}
