import type { Clock } from "../lib/clock.ts";
import type { Device } from "./device.ts";
import { ALERT_LIFETIME_SECONDS, type Message, type Outcome } from "./message.ts";

/** `sentTo`: the device as it was when the message was sent; null: it was removed before. */
export type SendResult = Outcome & { sentTo: Device | null };

/** `dropped`: the cause of the message was gone before it was sent. */
export type DeliveryResult = SendResult | { is: "dropped" };

interface DeliveryDeps {
  send: (device: string, message: Message) => Promise<SendResult>;
  /** Whether the cause of this message still stands; asked before each attempt. */
  isDue: (device: string, message: Message) => boolean;
  /** Called once for each message. */
  done: (device: string, message: Message, delivered: DeliveryResult) => void;
  clock: Pick<Clock, "monotonic">;
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Before the second, third and fourth attempt: all within the lifetime of an alert. */
const BACKOFF_MS = [2000, 30_000, 300_000];

/** Messages with one tag for one device: one is being sent, at most one newer one waits. */
interface Job {
  next: Message | null;
  /** Aborted by a newer message: the one before is not attempted again. */
  replaced: AbortController;
  ended: Promise<void>;
}

/**
 * Sends in the background. Messages with different tags or for different devices do not wait for
 * each other; a newer message replaces one with its tag that is not accepted yet.
 */
export class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #jobs = new Map<string, Job>();
  readonly #stopping = new AbortController();

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  push(device: string, message: Message): void {
    if (this.#stopping.signal.aborted) return;
    const key = `${device} ${message.tag}`;
    const current = this.#jobs.get(key);
    if (current?.next) this.#deps.done(device, current.next, { is: "dropped" });
    if (current) {
      current.next = message;
      current.replaced.abort();
      return;
    }
    const job = { next: message, replaced: new AbortController(), ended: Promise.resolve() };
    this.#jobs.set(key, job);
    job.ended = this.#run(key, device, job);
  }

  get size(): number {
    return [...this.#jobs.values()].reduce((sum, { next }) => sum + (next ? 2 : 1), 0);
  }

  /** Waits for the requests under way; no other attempt begins. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#jobs.values()].map(({ ended }) => ended));
  }

  async #run(key: string, device: string, job: Job): Promise<void> {
    for (let message = job.next; message; message = job.next) {
      job.next = null;
      job.replaced = new AbortController();
      this.#deps.done(device, message, await this.#try(device, message, job.replaced.signal));
    }
    // In the same turn as the last check of `next`: no message is lost between.
    this.#jobs.delete(key);
  }

  async #try(device: string, message: Message, replaced: AbortSignal): Promise<DeliveryResult> {
    const { send, isDue, clock, pause } = this.#deps;
    const signal = AbortSignal.any([this.#stopping.signal, replaced]);
    const startedAt = clock.monotonic();
    let outcome: DeliveryResult = { is: "dropped" };
    for (const backoffMs of [0, ...BACKOFF_MS]) {
      if (outcome.is === "later") await pause(Math.max(backoffMs, outcome.afterMs), signal);
      if (signal.aborted || !isDue(device, message)) return { is: "dropped" };
      if (clock.monotonic() - startedAt > ALERT_LIFETIME_SECONDS) return outcome;
      outcome = await send(device, message);
      if (outcome.is !== "later") return outcome;
    }
    return outcome;
  }
}
