import { type Moment, momentOf } from "../lib/clock.ts";
import type { AlertLogEntry, TestReply } from "../protocol/push.ts";
import type { UsageQuota } from "../protocol/usage.ts";
import type { Grant } from "../slice.ts";
import type { Snapshot, SnapshotListener } from "../terminal/hub.ts";
import { type AlertDevice, tagOf } from "./alert-state.ts";
import { type Device, grantOf, isReachable } from "./device.ts";
import { Dispatch, type DispatchDeps } from "./dispatch.ts";
import type { Draft } from "./message.ts";
import { type AlertAction, AlertScheduler, type SchedulerDeps } from "./scheduler.ts";

export interface PushDeps
  extends
    Pick<SchedulerDeps, "rules" | "isPresent" | "isBatched">,
    Omit<DispatchDeps, "mayTry" | "arrived" | "lost"> {
  hub: { subscribe(listener: SnapshotListener): () => void };
  /** How many cards wait for a person: the number of the app's icon. */
  waiting: () => number;
  quotaThreshold: () => number;
}

/** A structured question of an agent that has become a verified pending decision. */
export interface DecisionAlert {
  paneId: string;
  agentId: string;
  decisionId: string;
  revision: number;
  /** The runtime itself calls it high or critical. */
  isUrgent: boolean;
}

/** A timer that is set farther ahead fires at once. */
const MAX_TIMER_MS = 24 * 3600 * 1000;
const MAX_TAG_CHARS = 32;

/** Follows what becomes of panes, asks the scheduler what is due and lets it be sent. */
export class Push {
  readonly #deps: PushDeps;
  readonly #scheduler: AlertScheduler;
  readonly #dispatch: Dispatch;
  #unsubscribe: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #hasStopped = false;
  #quotas = NO_QUOTA_PAST;
  #listeners: { of: readonly Device[]; are: readonly AlertDevice[] } = { of: [], are: [] };

  constructor(deps: PushDeps) {
    this.#deps = deps;
    const { rules, isPresent, isBatched, devices } = deps;
    this.#scheduler = new AlertScheduler({
      rules,
      isPresent,
      isBatched,
      devices: () => this.#reachable(),
      shown: devices.notices,
    });
    this.#dispatch = new Dispatch({
      ...deps,
      mayTry: (notice, kind) => {
        const mayTry = this.#scheduler.mayTry(notice, kind, this.#now());
        if (!mayTry) this.#arm();
        return mayTry;
      },
      arrived: (notice) => this.#apply(this.#scheduler.arrived(notice)),
      lost: (notice) => {
        this.#scheduler.lost(notice, this.#now());
        this.#arm();
      },
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
    await this.#dispatch.stop();
  }

  get log(): readonly AlertLogEntry[] {
    return this.#dispatch.log;
  }

  get pending(): number {
    return this.#dispatch.size;
  }

  /** @throws AppError too_many, or conflict where the device cannot be sent anything. */
  test(device: Device): Promise<TestReply> {
    return this.#dispatch.test(device, this.#deps.waiting());
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

  forget(device: string): void {
    this.#scheduler.forget(device);
    this.#saveNotices();
  }

  /** Ends the alerts of those who are let in no more. */
  async keepOnly(holds: (grant: string) => boolean): Promise<void> {
    for (const id of await this.#deps.devices.keepOnly(holds)) this.forget(id);
  }

  /**
   * Native devices are told at once, under the collapse-id of the pane's own alert; the others hear
   * of the pane alone.
   */
  decision({ paneId, agentId, decisionId, revision, isUrgent }: DecisionAlert): void {
    if (isUrgent) this.#scheduler.markUrgent(paneId);
    const identity = this.#scheduler.standing(paneId)?.identity ?? null;
    const tag = identity ? tagOf(identity) : `decision-${decisionId}`.slice(0, MAX_TAG_CHARS);
    const about = { agentId, decisionId, revision, paneId, identity, tag };
    for (const device of this.#reachable().filter(({ kind }) => kind === "apns")) {
      const why = this.#scheduler.whyNotDecision(device, paneId, isUrgent, this.#now());
      if (why === null) this.#send(device.id, { kind: "decision", ...about });
      else this.#dispatch.suppressed({ device: device.id, pane: paneId, reason: "decision", why });
    }
    this.#look();
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
    const { past, isDue } = watchQuotas(this.#quotas, quotas, facts);
    this.#quotas = past;
    if (!isDue) return;
    this.#scheduler.digest("quota", now);
    this.#look();
  }

  #follow({ transitions, hasFailed }: Snapshot): void {
    if (hasFailed || (transitions.length === 0 && this.#scheduler.hasStarted)) return;
    const now = this.#now();
    this.#apply([...this.#scheduler.observe(transitions, now), ...this.#scheduler.due(now)]);
    const moves = transitions.flatMap(({ before, pane }): [string, string][] =>
      before && before.target !== pane.target ? [[before.target, pane.target]] : [],
    );
    if (moves.length > 0) this.#keepMutes(new Map(moves));
  }

  #keepMutes(targets: ReadonlyMap<string, string>): void {
    const { devices, log } = this.#deps;
    devices.retarget(targets).catch((error: unknown) => {
      log.warn(`a muted pane has moved, and its mute could not follow: ${String(error)}`);
    });
  }

  #look(): void {
    this.#apply(this.#scheduler.due(this.#now()));
  }

  #apply(actions: readonly AlertAction[]): void {
    for (const action of actions) {
      if ("why" in action) this.#dispatch.suppressed(action);
      else this.#send(action.device, action.message);
    }
    this.#saveNotices();
    this.#arm();
  }

  #send(device: string, message: Draft): void {
    this.#dispatch.send(device, { ...message, badge: this.#deps.waiting() });
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

  #saveNotices(): void {
    const { shown } = this.#scheduler;
    if (shown !== this.#deps.devices.notices) this.#deps.devices.setNotices(shown);
  }

  #now(): Moment {
    return momentOf(this.#deps.clock);
  }

  /** The same list until a device changes: it is asked for in every pass that brings news. */
  #reachable(): readonly AlertDevice[] {
    const { devices, channels } = this.#deps;
    if (this.#listeners.of !== devices.all) {
      const are = devices.all.filter(isReachable).map((device) => {
        const { id, kind, preferences, knownSince } = device;
        return { id, kind, preferences, knownSince, isConfigured: channels.isConfigured(device) };
      });
      this.#listeners = { of: devices.all, are };
    }
    return this.#listeners.are;
  }
}

/** Remaining percent of each metric, and when it last alerted (monotonic seconds). */
interface QuotaPast {
  readonly remaining: ReadonlyMap<string, number>;
  readonly alertedAt: ReadonlyMap<string, number>;
}

export const NO_QUOTA_PAST: QuotaPast = { remaining: new Map(), alertedAt: new Map() };

const AGAIN_SECONDS = 3600;

/**
 * Whether a metric has crossed the threshold downwards since it was last seen: once per metric and
 * hour, and never on its first observation.
 */
export function watchQuotas(
  past: QuotaPast,
  quotas: readonly UsageQuota[],
  { threshold, at }: { threshold: number; at: number },
): { past: QuotaPast; isDue: boolean } {
  const remaining = new Map(past.remaining);
  const alertedAt = new Map(past.alertedAt);
  let isDue = false;
  for (const { provider, account, metrics } of quotas)
    for (const { label, remaining_percent } of metrics) {
      if (remaining_percent === null) continue;
      const name = JSON.stringify([provider, account, label]);
      const before = remaining.get(name);
      remaining.set(name, remaining_percent);
      const hasCrossed =
        before !== undefined && before >= threshold && remaining_percent < threshold;
      if (!hasCrossed || at - (alertedAt.get(name) ?? -Infinity) < AGAIN_SECONDS) continue;
      alertedAt.set(name, at);
      isDue = true;
    }
  return { past: { remaining, alertedAt }, isDue };
}
