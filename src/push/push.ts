import type { AlertLogEntry, TestReply } from "../protocol/push.ts";
import type { UsageQuota } from "../protocol/usage.ts";
import type { Snapshot, SnapshotListener } from "../terminal/hub.ts";
import { type Device, isReachable } from "./device.ts";
import { Dispatch, type DispatchDeps } from "./dispatch.ts";
import type { Decision } from "./decision.ts";
import { Ledger, type LedgerDeps } from "./ledger.ts";
import type { Message } from "./message.ts";
import { type Moment, tagOf } from "./occasion.ts";
import { NO_QUOTA_PAST, watchQuotas } from "./quota.ts";
import type { LedgerDevice } from "./standing.ts";

export interface PushDeps
  extends
    Pick<LedgerDeps, "rules" | "isPresent" | "isBatched">,
    Omit<DispatchDeps, "mayTry" | "arrived" | "lost"> {
  hub: { subscribe(listener: SnapshotListener): () => void };
  /** Percent that remains, below which a quota alerts. */
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

/** Follows what becomes of panes, asks the ledger what is due and lets it be sent. */
export class Push {
  readonly #deps: PushDeps;
  readonly #ledger: Ledger;
  readonly #dispatch: Dispatch;
  #unsubscribe: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #savedRevision = 0;
  #quotas = NO_QUOTA_PAST;
  #listeners: { of: readonly Device[]; are: readonly LedgerDevice[] } = { of: [], are: [] };

  constructor(deps: PushDeps) {
    this.#deps = deps;
    const { rules, isPresent, isBatched, devices } = deps;
    this.#ledger = new Ledger({
      rules,
      isPresent,
      isBatched,
      devices: () => this.#reachable(),
      notices: devices.notices,
    });
    this.#dispatch = new Dispatch({
      ...deps,
      mayTry: (notice, kind) => {
        const mayTry = this.#ledger.mayTry(notice, kind, this.#now());
        if (!mayTry) this.#arm();
        return mayTry;
      },
      arrived: (notice) => this.#apply(this.#ledger.arrived(notice)),
      lost: (notice) => {
        this.#ledger.lost(notice, this.#now());
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
    if (this.#timer) clearTimeout(this.#timer);
    await this.#dispatch.stop();
  }

  /** The last decisions, newest last. */
  get log(): readonly AlertLogEntry[] {
    return this.#dispatch.log;
  }

  /** Messages that wait or are under way. */
  get pending(): number {
    return this.#dispatch.size;
  }

  /** @throws AppError too_many, or conflict where the device cannot be sent anything. */
  test(device: Device): Promise<TestReply> {
    return this.#dispatch.test(device, this.#ledger.waiting);
  }

  /** What the device chose, or looks at, has changed: what is held back is looked at anew. */
  reconsider(device: string): void {
    this.#ledger.reconsider(device);
    this.#look();
  }

  forget(device: string): void {
    this.#ledger.notices.removeDevice(device);
    this.#saveNotices();
  }

  /**
   * Native devices are told at once, under the collapse-id of the pane's own alert; the others hear
   * of the pane alone.
   */
  decision({ paneId, agentId, decisionId, revision, isUrgent }: DecisionAlert): void {
    if (isUrgent) this.#ledger.markUrgent(paneId);
    const identity = this.#ledger.standing(paneId)?.identity ?? null;
    const tag = identity ? tagOf(identity) : `decision-${decisionId}`.slice(0, MAX_TAG_CHARS);
    const about = { agentId, decisionId, revision, paneId, identity, tag };
    for (const device of this.#reachable().filter(({ kind }) => kind === "apns")) {
      const why = this.#ledger.whyNotDecision(device, paneId, isUrgent, this.#now());
      if (why === null) this.#send(device.id, { kind: "decision", ...about });
      else this.#dispatch.suppressed(device.id, paneId, "decision", why);
    }
    this.#look();
  }

  /** The digest of a due Review window that has work. */
  digest(): void {
    this.#ledger.digest("review", this.#now());
    this.#look();
  }

  /** Fresh quotas, as often as they are read. */
  quotasSeen(quotas: readonly UsageQuota[]): void {
    const now = this.#now();
    const facts = { threshold: this.#deps.quotaThreshold(), at: now.monotonic };
    const { past, isDue } = watchQuotas(this.#quotas, quotas, facts);
    this.#quotas = past;
    if (!isDue) return;
    this.#ledger.digest("quota", now);
    this.#look();
  }

  #follow({ transitions, hasFailed }: Snapshot): void {
    if (hasFailed || (transitions.length === 0 && this.#ledger.hasStarted)) return;
    const now = this.#now();
    this.#apply([...this.#ledger.observe(transitions, now), ...this.#ledger.due(now)]);
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
    this.#apply(this.#ledger.due(this.#now()));
  }

  #apply(decisions: readonly Decision[]): void {
    for (const decision of decisions) this.#carryOut(decision);
    this.#saveNotices();
    this.#arm();
  }

  #carryOut(decision: Decision): void {
    const { device, reason } = decision;
    switch (decision.do) {
      case "suppress":
        return this.#dispatch.suppressed(device, decision.pane, reason, decision.why);
      case "answered": {
        const { tag, pane } = decision;
        const badge = this.#ledger.waiting;
        return this.#dispatch.takeBack(device, { kind: "answered", paneId: pane, tag, badge });
      }
      case "digest":
        return this.#send(device, DIGESTS[decision.reason]);
      case "alert": {
        const { id, name, host = null, provider, menu } = decision.pane.state;
        const pane = { id, name, host, provider, menu };
        const { tag, identities } = decision;
        return this.#send(device, { kind: "pane", reason: decision.reason, tag, pane, identities });
      }
    }
  }

  #send(device: string, message: WithoutBadge<Message>): void {
    this.#dispatch.send(device, { ...message, badge: this.#ledger.waiting });
  }

  // The next moment at which something that is held back is due.
  #arm(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const { nextAt } = this.#ledger;
    if (nextAt === Infinity) return;
    const ms = Math.max(0, (nextAt - this.#deps.clock.monotonic()) * 1000);
    this.#timer = setTimeout(() => this.#look(), Math.min(MAX_TIMER_MS, Math.ceil(ms)));
    this.#timer.unref();
  }

  #saveNotices(): void {
    const { notices } = this.#ledger;
    if (notices.revision === this.#savedRevision) return;
    this.#savedRevision = notices.revision;
    this.#deps.devices.setNotices(notices.all);
  }

  #now(): Moment {
    const { clock } = this.#deps;
    return { monotonic: clock.monotonic(), wall: clock.now() };
  }

  /** The same list until a device changes: it is asked for in every pass that brings news. */
  #reachable(): readonly LedgerDevice[] {
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

const DIGESTS = {
  review: { kind: "digest", tag: "review" },
  quota: { kind: "quota", tag: "quota" },
} as const;

type WithoutBadge<T> = T extends unknown ? Omit<T, "badge"> : never;
