import { AppError, TooManyError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { AlertLogEntry, LastDelivery, TestReply } from "../protocol/push.ts";
import type { Channels } from "./channels.ts";
import { type Device, isReachable } from "./device.ts";
import type { Devices } from "./devices.ts";
import {
  ALERT_LIFETIME_SECONDS,
  type Message,
  type Outcome,
  type ShownNotification,
  shownOf,
} from "./message.ts";

export interface DispatchDeps {
  devices: Devices;
  channels: Channels;
  /** Whether the cause of an alert still stands, and nothing holds the alert back. */
  mayTry: (shown: ShownNotification, kind: Message["kind"]) => boolean;
  /** The device shows it now. */
  arrived: (shown: ShownNotification) => void;
  /** The device was not reached, or did not take it. */
  lost: (shown: ShownNotification) => void;
  clock: Clock;
  log: Log;
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

const MAX_LOG_ENTRIES = 200;
const TEST_EVERY_SECONDS = 5;
const STOP_WITHIN_MS = 1500;

/** Hands messages to the channels and writes down what came of them. */
export class Dispatch {
  readonly #deps: DispatchDeps;
  readonly #delivery: Delivery;
  readonly #log: AlertLogEntry[] = [];
  readonly #testedAt = new Map<string, number>();

  constructor(deps: DispatchDeps) {
    this.#deps = deps;
    this.#delivery = new Delivery({
      send: (id, message) => this.#send(deps.devices.find(id), message),
      isDue: (id, message) => this.#isDue(id, message),
      done: (id, message, delivered) => this.#done(id, message, delivered),
      clock: deps.clock,
      pause: deps.pause,
    });
  }

  /** The last decisions, newest last; in memory only. */
  get log(): readonly AlertLogEntry[] {
    return [...this.#log];
  }

  get size(): number {
    return this.#delivery.size;
  }

  send(device: string, message: Message): void {
    if (message.kind !== "answered" || this.#takesBack(device))
      this.#delivery.push(device, message);
  }

  suppressed(about: Pick<AlertLogEntry, "device" | "pane" | "reason" | "why">): void {
    this.#note({ ...about, outcome: "suppressed" });
  }

  /** Whether the device wants "Answered", and can show it in the place of the alert. */
  #takesBack(device: string): boolean {
    const { devices, channels } = this.#deps;
    const known = devices.find(device);
    return known !== null && known.preferences.answered && channels.canReplace(known);
  }

  /**
   * Sends a test past every preference, and tells what the push service said.
   * @throws AppError too_many, or conflict where the device cannot be sent anything.
   */
  async test(device: Device, badge: number): Promise<TestReply> {
    const { clock, channels } = this.#deps;
    const now = clock.monotonic();
    const againAt = (this.#testedAt.get(device.id) ?? -Infinity) + TEST_EVERY_SECONDS;
    if (now < againAt) {
      const message = `cannot send a test: one every ${TEST_EVERY_SECONDS} s`;
      throw new TooManyError(message, Math.ceil(againAt - now));
    }
    if (!isReachable(device))
      throw new AppError("conflict", "cannot send a test: the push service knows it no more");
    if (!channels.isConfigured(device))
      throw new AppError("conflict", `cannot send a test: ${NOT_CONFIGURED[device.kind]}`);
    this.#testedAt.set(device.id, now);
    const tag = `test-${crypto.randomUUID().slice(0, 8)}`;
    const message: Message = { kind: "test", tag, badge };
    const outcome = await this.#send(device, message);
    this.#done(device.id, message, outcome);
    // The page that asked looks at its device next.
    await this.#deps.devices.saved();
    const { result, detail, at } = this.#lastOf("test", outcome);
    return { ok: result === "accepted", result, detail, tag, at };
  }

  /** What is under way ends or is given up. */
  async stop(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, STOP_WITHIN_MS);
    // A push service that hangs must not hold the whole service.
    await Promise.race([this.#delivery.stop(), late.promise]);
    clearTimeout(timer);
    this.#deps.channels.close();
    await this.#deps.devices.close();
  }

  async #send(device: Device | null, message: Message): Promise<Sent> {
    if (!device) return { is: "refused", detail: "removed", sentTo: null };
    try {
      return { ...(await this.#deps.channels.send(device, message)), sentTo: device };
    } catch (error) {
      this.#deps.log.error("an alert could not be sent", error);
      const detail = "an error of this server, told in its log";
      return { is: "refused", detail, sentTo: device };
    }
  }

  #isDue(id: string, message: Message): boolean {
    const device = this.#deps.devices.find(id);
    if (!device || !isReachable(device)) return false;
    const shown = shownOf(id, message);
    return shown === null || this.#deps.mayTry(shown, message.kind);
  }

  #done(id: string, message: Message, delivered: Delivered): void {
    const { devices, arrived, lost } = this.#deps;
    const pane = message.kind === "pane" ? message.pane.id : null;
    const reason = message.kind === "pane" ? message.reason : message.kind;
    const shown = shownOf(id, message);
    if (delivered.is === "dropped") {
      if (shown) this.suppressed({ device: id, pane, reason, why: "gone" });
      return;
    }
    const last = this.#lastOf(reason, delivered);
    if (delivered.sentTo) {
      this.#logChange(delivered.sentTo, last);
      devices.noteDelivery(delivered.sentTo, last);
    }
    const hasArrived = last.result === "accepted";
    const outcome = hasArrived ? "sent" : "failed";
    this.#note({ device: id, pane, reason, outcome, why: last.detail });
    if (shown && hasArrived) arrived(shown);
    else if (shown) lost(shown);
  }

  #lastOf(reason: string, { is, detail }: Outcome): LastDelivery {
    const at = this.#deps.clock.now();
    return { at, reason, result: is === "accepted" || is === "gone" ? is : "failed", detail };
  }

  // Once per change of state: a push service that is away for a night fills no log.
  #logChange({ kind, id, deliveries }: Device, { result, detail }: LastDelivery): void {
    const name = `${kind} device ${id}`;
    if (result === "gone") this.#deps.log.warn(`${name} is gone: ${detail}`);
    else if (result === "failed" && deliveries.failures === 0)
      this.#deps.log.warn(`alerts to ${name} fail: ${detail}`);
    else if (result === "accepted" && deliveries.failures > 0)
      this.#deps.log.info(`alerts to ${name} arrive again`);
  }

  #note(entry: Omit<AlertLogEntry, "at">): void {
    this.#log.push({ at: this.#deps.clock.now(), ...entry });
    if (this.#log.length > MAX_LOG_ENTRIES) this.#log.shift();
  }
}

const NOT_CONFIGURED = {
  apns: "native alerts are not configured",
  web: "its push service is not in push.web_push_hosts",
  ntfy: "no topic is configured",
  webhook: "no webhook is configured",
} as const;

/** What a push service did, and with which device as it was then; null: there was none any more. */
type Sent = Outcome & { sentTo: Device | null };

/** What became of a message, or why it was not sent: its cause was gone before. */
type Delivered = Sent | { is: "dropped" };

interface DeliveryDeps {
  send: (device: string, message: Message) => Promise<Sent>;
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
