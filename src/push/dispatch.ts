import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { LastDelivery, TestReply } from "../protocol/push.ts";
import { AlertLog } from "./alert-log.ts";
import type { Channels } from "./channels.ts";
import { type Delivered, Delivery } from "./delivery.ts";
import { type Device, type Devices, isReachable, preferencesOf } from "./devices.ts";
import type { Message } from "./message.ts";
import type { Outcome } from "./transport.ts";

export interface DispatchDeps {
  devices: Devices;
  channels: Channels;
  /** Whether the pane that a message is about still stands as it did. */
  stands: (device: string, tag: string) => boolean;
  /** Whether the pane that asks a decision still waits. */
  asks: (identity: string) => boolean;
  /** An alert about a pane did not arrive: nothing of it has to vanish. */
  lost: (device: string, tag: string) => void;
  clock: Clock;
  log: Log;
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

const TEST_EVERY_SECONDS = 5;
const STOP_WITHIN_MS = 1500;

/** Hands messages to the channels and writes down what came of them. */
export class Dispatch {
  readonly #deps: DispatchDeps;
  readonly #delivery: Delivery;
  readonly #log = new AlertLog();
  readonly #testedAt = new Map<string, number>();

  constructor(deps: DispatchDeps) {
    this.#deps = deps;
    const { clock, log, pause } = deps;
    this.#delivery = new Delivery({
      send: (id, message) => this.#send(id, message),
      isDue: (id, message) => this.#isDue(id, message),
      done: (id, message, delivered) => this.#done(id, message, delivered),
      clock,
      log,
      pause,
    });
  }

  get log(): AlertLog {
    return this.#log;
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
    if (!known || !preferencesOf(known).answered || !this.#deps.channels.canReplace(known)) return;
    this.send(device, message);
  }

  /**
   * Sends a test past every preference, and tells what the push service said.
   * @throws AppError too_many, or conflict where the device cannot be sent anything.
   */
  async test(device: Device, badge: number): Promise<TestReply> {
    const { clock, channels } = this.#deps;
    const now = clock.monotonic();
    if (now - (this.#testedAt.get(device.id) ?? -Infinity) < TEST_EVERY_SECONDS)
      throw new AppError("too_many", `cannot send a test: one every ${TEST_EVERY_SECONDS} s`);
    if (!isReachable(device))
      throw new AppError("conflict", "cannot send a test: the push service knows it no more");
    if (!channels.isConfigured(device))
      throw new AppError("conflict", "cannot send a test: native alerts are not configured");
    this.#testedAt.set(device.id, now);
    const tag = `test-${crypto.randomUUID().slice(0, 8)}`;
    const message: Message = { kind: "test", tag, badge };
    const outcome = await channels.send(device, message);
    this.#done(device.id, message, outcome);
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
    await this.#deps.devices.settled();
  }

  async #send(id: string, message: Message): Promise<Outcome> {
    const device = this.#deps.devices.find(id);
    if (!device) return { is: "refused", detail: "removed" };
    return await this.#deps.channels.send(device, message);
  }

  #isDue(id: string, message: Message): boolean {
    const device = this.#deps.devices.find(id);
    if (!device || !isReachable(device)) return false;
    if (message.kind === "pane") return this.#deps.stands(id, message.tag);
    const identity = message.kind === "decision" ? message.identity : null;
    return identity === null || this.#deps.asks(identity);
  }

  #done(id: string, message: Message, delivered: Delivered): void {
    const { devices, lost } = this.#deps;
    const pane = message.kind === "pane" ? message.pane.id : null;
    const reason = message.kind === "pane" ? message.reason : message.kind;
    if (delivered.is === "dropped") {
      const isOfPrompt = message.kind === "pane" || message.kind === "decision";
      if (isOfPrompt) this.suppressed(id, pane, reason, "gone");
      return;
    }
    const device = devices.find(id);
    const last = this.#lastOf(reason, delivered);
    if (device) this.#tellOfChange(device, last);
    devices.noteDelivery(id, last);
    const hasArrived = last.result === "accepted";
    const outcome = hasArrived ? "sent" : "failed";
    this.#note({ device: id, pane, reason, outcome, why: last.detail });
    if (!hasArrived && message.kind === "pane") lost(id, message.tag);
  }

  #lastOf(reason: string, { is, detail }: Outcome): LastDelivery {
    const at = this.#deps.clock.now();
    return { at, reason, result: is === "accepted" || is === "gone" ? is : "failed", detail };
  }

  // Once per change of state: a push service that is away for a night fills no log.
  #tellOfChange({ kind, id, record }: Device, { result, detail }: LastDelivery): void {
    const name = `${kind} device ${id}`;
    if (result === "gone") this.#deps.log.warn(`${name} is gone: ${detail}`);
    else if (result === "failed" && record.failures === 0)
      this.#deps.log.warn(`alerts to ${name} fail: ${detail}`);
    else if (result === "accepted" && record.failures > 0)
      this.#deps.log.info(`alerts to ${name} arrive again`);
  }

  #note(entry: {
    device: string;
    pane: string | null;
    reason: string;
    outcome: "sent" | "failed" | "suppressed";
    why: string;
  }): void {
    this.#log.add({ at: this.#deps.clock.now(), ...entry });
  }
}
