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
import type { Channels } from "./channels.ts";
import { type Delivered, Delivery, type SendResult } from "./delivery.ts";
import { type Device, grantOf, isReachable } from "./device.ts";
import type { Devices } from "./devices.ts";
import type { AlertDevice, HoldDeps } from "./held.ts";
import { formOf, type Message, shownOf } from "./message.ts";
import { QuotaWatch } from "./quotas.ts";
import { type AlertAction, AlertScheduler } from "./scheduler.ts";

export interface PushDeps extends Omit<HoldDeps, "isPresent"> {
  hub: Pick<Hub, "subscribe" | "isUnlisted">;
  devices: Devices;
  channels: Channels;
  cards: {
    readonly ofScreens: readonly ScreenCard[];
    /** How many wait for a person: the number of the app's icon. */
    readonly waiting: number;
  };
  quotaThreshold: () => number;
  clock: Clock;
  log: Log;
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

type LogSubject = Pick<AlertLogEntry, "device" | "pane" | "reason">;

/** A timer that is set farther ahead fires at once. */
const MAX_TIMER_MS = 24 * 3600 * 1000;
const MAX_LOG_ENTRIES = 200;
const TEST_EVERY_SECONDS = 5;
const STOP_WITHIN_MS = 1500;

/** Follows what becomes of panes, sends what the scheduler says, and writes down what came of it. */
export class Push {
  readonly #deps: PushDeps;
  readonly #scheduler: AlertScheduler;
  readonly #delivery: Delivery;
  readonly #log: AlertLogEntry[] = [];
  readonly #quotas = new QuotaWatch();
  /** What pages look at, by their sockets. */
  readonly #pages = new Map<string, PresenceFrame>();
  readonly #testedAt = new Map<string, number>();
  #unsubscribe: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #hasStopped = false;

  constructor(deps: PushDeps) {
    this.#deps = deps;
    const { devices } = deps;
    this.#scheduler = new AlertScheduler({
      ...deps,
      devices: () => this.#reachable(),
      isPresent: (device, paneId) =>
        this.#inSight(device).some(({ pane }) => pane === undefined || pane === paneId),
      store: devices,
    });
    this.#delivery = new Delivery({
      ...deps,
      send: (id, message) => this.#sendTo(devices.find(id), message),
      isDue: (id, message) => this.#isDue(id, message),
      done: (id, message, delivered) => this.#done(id, message, delivered),
    });
  }

  /** Before the first pass: what stands then is no news later. */
  start(): void {
    this.#unsubscribe ??= this.#deps.hub.subscribe((snapshot) => this.#follow(snapshot));
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#hasStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, STOP_WITHIN_MS);
    // A push service that hangs must not hold the whole service.
    await Promise.race([this.#delivery.stop(), late.promise]);
    clearTimeout(timer);
    this.#deps.channels.close();
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
   * Sends a test past every preference, and tells what the push service said.
   * @throws AppError too_many, or conflict where the device cannot be sent anything.
   */
  async test(device: Device): Promise<TestReply> {
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
    const message: Message = { kind: "test", tag };
    const outcome = await this.#sendTo(device, message);
    const about = { device: device.id, pane: null, reason: "test" };
    const { result, detail, at } = this.#sent(about, outcome);
    // The page that asked looks at its device next.
    await this.#deps.devices.saved();
    return { ok: result === "accepted", result, detail, tag, at };
  }

  /** What the device chose, or looks at, has changed: what is held back is looked at anew. */
  reconsider(device: string): void {
    this.#scheduler.reconsider(device);
    this.#look();
  }

  /** On how many devices a grant has alerts, by its key. */
  count(grant: string): number {
    return this.#deps.devices.all.filter((device) => grantOf(device) === grant).length;
  }

  /** Whether a page of this grant speaks for the device. Who only looks speaks for none. */
  isOwn(id: string, { key, scope }: Grant): boolean {
    const device = this.#deps.devices.find(id);
    return device !== null && scope !== "look" && grantOf(device) === key;
  }

  /**
   * What a page of this grant shows, one pane or the queue; null when its socket has ended, by a word
   * of the page or by its silence.
   */
  notePage(socket: string, frame: PresenceFrame | null, grant: Grant): void {
    if (frame !== null && !this.isOwn(frame.device, grant)) return;
    const before = this.#pages.get(socket);
    if (frame) this.#pages.set(socket, frame);
    else this.#pages.delete(socket);
    if (before?.visible && this.#inSight(before.device).length === 0)
      this.reconsider(before.device);
  }

  forget(device: string): void {
    this.#scheduler.forget(device);
  }

  /** Ends the alerts of those who are let in no more. */
  async keepOnly(holds: (grant: string) => boolean): Promise<void> {
    for (const id of await this.#deps.devices.keepOnly(holds)) this.forget(id);
  }

  /** A question of an agent has become a verified pending decision, asked in this pane. */
  decision(decision: DecisionItem, paneId: string): void {
    const now = this.#now();
    this.#apply([...this.#scheduler.decision(decision, paneId, now), ...this.#scheduler.due(now)]);
  }

  /** The digest of a due Review window that has work. */
  digest(): void {
    this.#scheduler.digest("review", this.#now());
    this.#look();
  }

  /** A device has come in: everybody who is alerted hears of it at once, past every preference. */
  letIn({ name, by }: { name: string; by: string }): void {
    const tag = `grant-${crypto.randomUUID().slice(0, 8)}`;
    for (const { id } of this.#reachable().filter(({ isConfigured }) => isConfigured))
      this.#send(id, { kind: "grant", name, by, tag });
  }

  /** Fresh quotas, as often as they are read. */
  quotasSeen(quotas: readonly UsageQuota[]): void {
    const now = this.#now();
    const facts = { threshold: this.#deps.quotaThreshold(), at: now.monotonic };
    if (!this.#quotas.see(quotas, facts)) return;
    this.#scheduler.digest("quota", now);
    this.#look();
  }

  #follow({ transitions, hasFailed }: Snapshot): void {
    if (hasFailed || (transitions.length === 0 && this.#scheduler.isSettled)) return;
    const now = this.#now();
    this.#apply([...this.#scheduler.observe(transitions, now), ...this.#scheduler.due(now)]);
    this.#deps.devices.followMoves(transitions);
  }

  #look(): void {
    this.#apply(this.#scheduler.due(this.#now()));
  }

  #apply(actions: readonly AlertAction[]): void {
    for (const action of actions) {
      if ("why" in action) this.#note({ ...action, outcome: "suppressed" });
      else this.#send(action.device, action.message);
    }
    this.#arm();
  }

  #send(device: string, message: Message): void {
    if (message.kind === "answered" && !this.#takesBack(device)) return;
    this.#delivery.push(device, message);
  }

  /** Whether the device wants "Answered", and can show it in the place of the alert. */
  #takesBack(device: string): boolean {
    const { devices, channels } = this.#deps;
    const known = devices.find(device);
    return known !== null && known.preferences.answered && channels.canReplace(known);
  }

  async #sendTo(device: Device | null, message: Message): Promise<SendResult> {
    if (!device) return { is: "refused", detail: "removed", sentTo: null };
    const badged = { ...message, badge: this.#deps.cards.waiting };
    try {
      return { ...(await this.#deps.channels.send(device, badged)), sentTo: device };
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
    const isDue = shown === null || this.#scheduler.mayTry(shown, message.kind, this.#now());
    if (!isDue) this.#arm();
    return isDue;
  }

  #done(id: string, message: Message, delivered: Delivered): void {
    const pane = message.kind === "pane" ? message.screen.pane.id : null;
    const reason = message.kind === "pane" ? formOf(message).reason : message.kind;
    const about = { device: id, pane, reason };
    const shown = shownOf(id, message);
    if (delivered.is === "dropped") {
      if (shown) this.#note({ ...about, outcome: "suppressed", why: "gone" });
      return;
    }
    const { result } = this.#sent(about, delivered);
    if (!shown) return;
    if (result === "accepted") {
      this.#apply(this.#scheduler.arrived(shown));
      return;
    }
    this.#scheduler.lost(shown, this.#now());
    this.#arm();
  }

  #sent(about: LogSubject, { is, detail, sentTo }: SendResult): LastDelivery {
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

  // The next moment at which something that is held back is due.
  #arm(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const { nextAt } = this.#scheduler;
    if (nextAt === Infinity || this.#hasStopped) return;
    const ms = Math.max(0, (nextAt - this.#deps.clock.monotonic()) * 1000);
    this.#timer = setTimeout(() => this.#look(), Math.min(MAX_TIMER_MS, Math.ceil(ms)));
    this.#timer.unref();
  }

  #now(): Moment {
    return momentOf(this.#deps.clock);
  }

  #inSight(device: string): PresenceFrame[] {
    return [...this.#pages.values()].filter((page) => page.visible && page.device === device);
  }

  #reachable(): AlertDevice[] {
    const { devices, channels } = this.#deps;
    return devices.all
      .filter(isReachable)
      .map((device) => ({ ...device, isConfigured: channels.isConfigured(device) }));
  }
}

const NOT_CONFIGURED = {
  apns: "native alerts are not configured",
  web: "its push service is not in push.web_push_hosts",
  ntfy: "no topic is configured",
  webhook: "no webhook is configured",
} as const;
