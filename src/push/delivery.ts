import type { Clock } from "../lib/clock.ts";
import type { Device } from "./device.ts";
import { ALERT_LIFETIME_SECONDS, type Message, type Outcome } from "./message.ts";

/** What a push service did, and with which device as it was then; null: there was none any more. */
export type SendResult = Outcome & { sentTo: Device | null };

/** What became of a message, or why it was not sent: its cause was gone before. */
export type Delivered = SendResult | { is: "dropped" };

interface DeliveryDeps {
  send: (device: string, message: Message) => Promise<SendResult>;
  /** Whether the cause of this message still stands; asked before each try. */
  isDue: (device: string, message: Message) => boolean;
  /** Told once for each message, in the end. */
  done: (device: string, message: Message, delivered: Delivered) => void;
  clock: Pick<Clock, "monotonic">;
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Before the second, third and fourth try: within the ten minutes that an alert is of use. */
const BACKOFF_MS = [2000, 30_000, 300_000];

/** The messages of one tag to one device: one is sent, at most one newer one waits. */
interface Job {
  next: Message | null;
  /** Aborted by a newer message: the one before is not tried again. */
  replaced: AbortController;
  ended: Promise<void>;
}

/**
 * Sends in the background. Messages of different tags do not wait for each other, whatever device
 * they are for; of one tag a newer message takes the place of one that has not been accepted.
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
    const known = this.#jobs.get(key);
    if (known?.next) this.#deps.done(device, known.next, { is: "dropped" });
    if (known) {
      known.next = message;
      known.replaced.abort();
      return;
    }
    const job = { next: message, replaced: new AbortController(), ended: Promise.resolve() };
    this.#jobs.set(key, job);
    job.ended = this.#run(key, device, job);
  }

  get size(): number {
    return [...this.#jobs.values()].reduce((sum, { next }) => sum + (next ? 2 : 1), 0);
  }

  /** What is under way ends or is given up; nothing new begins. */
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
    // In the same turn as the last look at what comes next: no message falls between.
    this.#jobs.delete(key);
  }

  async #try(device: string, message: Message, replaced: AbortSignal): Promise<Delivered> {
    const { send, isDue, clock, pause } = this.#deps;
    const signal = AbortSignal.any([this.#stopping.signal, replaced]);
    const startedAt = clock.monotonic();
    let outcome: Delivered = { is: "dropped" };
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
