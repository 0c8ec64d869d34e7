import { AppError, TooManyError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { AlertLogEntry, LastDelivery, TestReply } from "../protocol/push.ts";
import type { Channels } from "./channels.ts";
import { type Delivered, Delivery, type Sent } from "./delivery.ts";
import { type Device, isReachable } from "./device.ts";
import type { Devices } from "./devices.ts";
import { type Message, type ShownNotification, shownOf } from "./message.ts";
import type { Outcome } from "./transport.ts";

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

  /** Messages that wait or are under way. */
  get size(): number {
    return this.#delivery.size;
  }

  send(device: string, message: Message): void {
    this.#delivery.push(device, message);
  }

  suppressed(device: string, pane: string | null, reason: string, why: string): void {
    this.#note({ device, pane, reason, outcome: "suppressed", why });
  }

  /** "Answered", where the device wants it and can show it in the place of the alert. */
  takeBack(device: string, message: Extract<Message, { kind: "answered" }>): void {
    const known = this.#deps.devices.find(device);
    if (!known?.preferences.answered || !this.#deps.channels.canReplace(known)) return;
    this.send(device, message);
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
      if (shown) this.suppressed(id, pane, reason, "gone");
      return;
    }
    const last = this.#lastOf(reason, delivered);
    if (delivered.sentTo) {
      this.#logChange(delivered.sentTo, last);
      devices.noteDelivery(delivered.sentTo, last);
    }
    const hasArrived = last.result === "accepted";
    this.#note({
      device: id,
      pane,
      reason,
      outcome: hasArrived ? "sent" : "failed",
      why: last.detail,
    });
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
