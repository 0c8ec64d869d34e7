import { AppError, TooManyError } from "../errors.ts";
import { type Clock, type Moment, momentOf } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { DecisionItem } from "../protocol/agents.ts";
import type { PresenceFrame } from "../protocol/frames.ts";
import type { AlertLogEntry, LastDelivery, TestReply } from "../protocol/push.ts";
import type { UsageQuota } from "../protocol/usage.ts";
import type { Grant } from "../slice.ts";
import type { Hub, Snapshot } from "../terminal/hub.ts";
import type { ScreenCard } from "../cards/cards.ts";
import { canReplace, type Send } from "./channels.ts";
import { type DeliveryResult, Delivery, type SendResult } from "./delivery.ts";
import { type Device, isReachable } from "./device.ts";
import type { Devices } from "./devices.ts";
import type { AlertDevice, HoldDeps } from "./hold.ts";
import { formOf, type Message, notificationOf } from "./message.ts";
import { type AlertAction, AlertScheduler } from "./scheduler.ts";

export interface PushDeps extends Omit<HoldDeps, "isPresent"> {
  hub: Pick<Hub, "subscribe" | "isUnlisted">;
  devices: Devices;
  /** Null where the configuration does not allow to send to this device. */
  senderOf: (device: Device) => Send | null;
  cards: {
    readonly ofScreens: readonly ScreenCard[];
    /** Number of cards that wait for a person, for the app's icon. */
    readonly waiting: number;
  };
  quotaThreshold: () => number;
  clock: Clock;
  log: Log;
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

type LogSubject = Pick<AlertLogEntry, "device" | "pane" | "reason">;

/** A timer with a delay beyond 31 bits fires at once. */
const MAX_TIMER_MS = 24 * 3600 * 1000;
const MAX_LOG_ENTRIES = 200;
const TEST_EVERY_SECONDS = 5;
const STOP_WITHIN_MS = 1500;

/**
 * Follows the panes, sends what the scheduler decides, and logs the results. Made before the first
 * pass: prompts that stand then are no news later.
 */
export class Push {
  readonly #deps: PushDeps;
  readonly #scheduler: AlertScheduler;
  readonly #delivery: Delivery;
  readonly #log: AlertLogEntry[] = [];
  readonly #quotas = new QuotaWatch();
  /** What pages show, by their sockets. */
  readonly #pages = new Map<string, PresenceFrame>();
  readonly #testedAt = new Map<string, number>();
  readonly #unsubscribe: () => void;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #hasStopped = false;

  constructor(deps: PushDeps) {
    this.#deps = deps;
    const { devices } = deps;
    this.#scheduler = new AlertScheduler({
      ...deps,
      devices: () => this.#reachable(),
      registered: () => devices.all.map(({ id }) => id),
      isPresent: (device, paneId) =>
        this.#visiblePages(device).some(({ pane }) => pane === undefined || pane === paneId),
      store: devices,
    });
    this.#delivery = new Delivery({
      ...deps,
      send: (id, message) => this.#sendTo(devices.find(id), message),
      isDue: (id, message) => this.#isDue(id, message),
      done: (id, message, delivered) => this.#done(id, message, delivered),
    });
    this.#unsubscribe = deps.hub.subscribe((snapshot) => this.#follow(snapshot));
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#hasStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    // A push service that hangs must not delay the end of the service.
    await Promise.race([this.#delivery.stop(), Bun.sleep(STOP_WITHIN_MS)]);
    await this.#deps.devices.close();
  }

  /** The last decisions, newest last; in memory only. */
  get log(): readonly AlertLogEntry[] {
    return [...this.#log];
  }

  get pending(): number {
    return this.#delivery.size;
  }

  /**
   * Sends a test regardless of preferences, and gives the answer of the push service.
   * @throws AppError too_many, or conflict where the device cannot be sent anything.
   */
  async test(device: Device): Promise<TestReply> {
    const { clock, senderOf, devices } = this.#deps;
    const now = clock.monotonic();
    const againAt = (this.#testedAt.get(device.id) ?? -Infinity) + TEST_EVERY_SECONDS;
    if (now < againAt) {
      const message = `cannot send a test: one every ${TEST_EVERY_SECONDS} s`;
      throw new TooManyError(message, Math.ceil(againAt - now));
    }
    if (!isReachable(device))
      throw new AppError("conflict", "cannot send a test: the push service knows it no more");
    if (senderOf(device) === null)
      throw new AppError("conflict", `cannot send a test: ${NOT_CONFIGURED[device.kind]}`);
    this.#testedAt.set(device.id, now);
    const tag = `test-${newTag()}`;
    const outcome = await this.#sendTo(device, { kind: "test", tag });
    const about = { device: device.id, pane: null, reason: "test" };
    const { result, detail, at } = this.#noteOutcome(about, outcome);
    // The page reads its device next.
    await devices.saved();
    return { ok: result === "accepted", result, detail, tag, at };
  }

  /** Decides again on alerts that are held back: preferences or the page in view have changed. */
  reconsider(device: string): void {
    this.#scheduler.reconsider(device);
    this.#sendDue();
  }

  /** Number of devices that the grant of this key registered. */
  count(grant: string): number {
    return this.#deps.devices.all.filter((device) => device.grant === grant).length;
  }

  /** Whether a page of this grant may act for the device; never with the scope `look`. */
  isOwn(id: string, { key, scope }: Grant): boolean {
    const device = this.#deps.devices.find(id);
    return device !== null && scope !== "look" && device.grant === key;
  }

  /** What a page of this grant shows: a pane or the queue; null: its socket has ended. */
  notePage(socket: string, frame: PresenceFrame | null, grant: Grant): void {
    if (frame !== null && !this.isOwn(frame.device, grant)) return;
    const before = this.#pages.get(socket);
    if (frame) this.#pages.set(socket, frame);
    else this.#pages.delete(socket);
    if (before?.visible && this.#visiblePages(before.device).length === 0)
      this.reconsider(before.device);
  }

  /** A verified decision is asked in this pane. */
  noteDecision(decision: DecisionItem, paneId: string): void {
    const now = this.#now();
    this.#apply([...this.#scheduler.decision(decision, paneId, now), ...this.#scheduler.due(now)]);
  }

  /** A review is due and has work. */
  sendDigest(): void {
    this.#scheduler.digest("review", this.#now());
    this.#sendDue();
  }

  /** A device was let in: every device is alerted of it at once, regardless of preferences. */
  announceGrant({ name, by }: { name: string; by: string }): void {
    const message: Message = { kind: "grant", name, by, tag: `grant-${newTag()}` };
    const devices = this.#reachable().filter(({ isConfigured }) => isConfigured);
    this.#apply(devices.map(({ id: device }) => ({ device, message })));
  }

  noteQuotas(quotas: readonly UsageQuota[]): void {
    const now = this.#now();
    const facts = { threshold: this.#deps.quotaThreshold(), at: now.monotonic };
    if (!this.#quotas.observe(quotas, facts)) return;
    this.#scheduler.digest("quota", now);
    this.#sendDue();
  }

  #follow({ transitions, hasFailed }: Snapshot): void {
    if (hasFailed || (transitions.length === 0 && this.#scheduler.isSettled)) return;
    const now = this.#now();
    this.#apply([...this.#scheduler.observe(transitions, now), ...this.#scheduler.due(now)]);
    this.#deps.devices.followMoves(transitions);
  }

  #sendDue(): void {
    this.#apply(this.#scheduler.due(this.#now()));
  }

  #apply(actions: readonly AlertAction[]): void {
    for (const action of actions) {
      if ("why" in action) this.#note({ ...action, outcome: "suppressed" });
      else if (action.message.kind !== "answered" || this.#canWithdraw(action.device))
        this.#delivery.push(action.device, action.message);
    }
    this.#setTimer();
  }

  /** Whether the device wants "Answered", and can show it in place of the alert. */
  #canWithdraw(device: string): boolean {
    const known = this.#deps.devices.find(device);
    return known !== null && known.preferences.answered && canReplace(known);
  }

  async #sendTo(device: Device | null, message: Message): Promise<SendResult> {
    if (!device) return { is: "refused", detail: "removed", sentTo: null };
    const send = this.#deps.senderOf(device);
    if (!send) return { is: "refused", detail: "not configured", sentTo: device };
    try {
      const outcome = await send({ ...message, badge: this.#deps.cards.waiting });
      return { ...outcome, sentTo: device };
    } catch (error) {
      this.#deps.log.error("an alert could not be sent", error);
      const detail = "an error of this server, told in its log";
      return { is: "refused", detail, sentTo: device };
    }
  }

  #isDue(id: string, message: Message): boolean {
    const device = this.#deps.devices.find(id);
    if (!device || !isReachable(device)) return false;
    const notification = notificationOf(id, message);
    return !notification || this.#scheduler.mayTry(notification, message.kind, this.#now());
  }

  #done(id: string, message: Message, delivered: DeliveryResult): void {
    const pane = message.kind === "pane" ? message.screen.pane.id : null;
    const reason = message.kind === "pane" ? formOf(message).reason : message.kind;
    const about = { device: id, pane, reason };
    const notification = notificationOf(id, message);
    if (delivered.is === "dropped") {
      if (notification) this.#note({ ...about, outcome: "suppressed", why: "gone" });
      return this.#setTimer();
    }
    const { result } = this.#noteOutcome(about, delivered);
    if (!notification) return;
    if (result === "accepted") return this.#apply(this.#scheduler.noteArrival(notification));
    this.#scheduler.noteLoss(notification, this.#now());
    this.#setTimer();
  }

  #noteOutcome(about: LogSubject, { is, detail, sentTo }: SendResult): LastDelivery {
    const { devices, clock } = this.#deps;
    const result = is === "accepted" || is === "gone" ? is : "failed";
    const last = { at: clock.now(), reason: about.reason, result, detail } as const;
    if (sentTo) devices.noteDelivery(sentTo, last);
    this.#note({ ...about, outcome: result === "accepted" ? "sent" : "failed", why: detail });
    return last;
  }

  #note(entry: Omit<AlertLogEntry, "at">): void {
    this.#log.push({ at: this.#deps.clock.now(), ...entry });
    if (this.#log.length > MAX_LOG_ENTRIES) this.#log.shift();
  }

  /** For the next alert that is held back. */
  #setTimer(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const { nextAt } = this.#scheduler;
    if (nextAt === Infinity || this.#hasStopped) return;
    const ms = Math.max(0, (nextAt - this.#deps.clock.monotonic()) * 1000);
    this.#timer = setTimeout(() => this.#sendDue(), Math.min(MAX_TIMER_MS, Math.ceil(ms)));
    this.#timer.unref();
  }

  #now(): Moment {
    return momentOf(this.#deps.clock);
  }

  #visiblePages(device: string): PresenceFrame[] {
    return [...this.#pages.values()].filter((page) => page.visible && page.device === device);
  }

  #reachable(): AlertDevice[] {
    const { devices, senderOf } = this.#deps;
    return devices.all
      .filter(isReachable)
      .map((device) => ({ ...device, isConfigured: senderOf(device) !== null }));
  }
}

const newTag = () => crypto.randomUUID().slice(0, 8);

const NOT_CONFIGURED = {
  apns: "native alerts are not configured",
  web: "its push service is not in push.web_push_hosts",
  ntfy: "no topic is configured",
  webhook: "no webhook is configured",
} as const;

const QUOTA_AGAIN_SECONDS = 3600;

/** Tells when a usage quota runs low. */
export class QuotaWatch {
  /** Remaining percent at the last reading, and monotonic seconds of the last alert. */
  readonly #metrics = new Map<string, { remaining: number; alertedAt: number }>();

  /** Whether a metric fell below the threshold since its last reading; once per hour at most. */
  observe(
    quotas: readonly UsageQuota[],
    { threshold, at }: { threshold: number; at: number },
  ): boolean {
    let isDue = false;
    for (const { provider, account, metrics } of quotas)
      for (const { label, remaining_percent } of metrics) {
        if (remaining_percent === null) continue;
        const name = JSON.stringify([provider, account, label]);
        const before = this.#metrics.get(name) ?? { remaining: -Infinity, alertedAt: -Infinity };
        const hasCrossed = before.remaining >= threshold && remaining_percent < threshold;
        const isAlerted = hasCrossed && at - before.alertedAt >= QUOTA_AGAIN_SECONDS;
        const alertedAt = isAlerted ? at : before.alertedAt;
        this.#metrics.set(name, { remaining: remaining_percent, alertedAt });
        isDue ||= isAlerted;
      }
    return isDue;
  }
}
