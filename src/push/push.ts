import type { Suppression, TestReply } from "../protocol/push.ts";
import type { UsageQuota } from "../protocol/usage.ts";
import type { Snapshot, SnapshotListener } from "../terminal/hub.ts";
import type { AlertLog } from "./alert-log.ts";
import { type Device, isReachable, preferencesOf } from "./devices.ts";
import { Dispatch, type DispatchDeps } from "./dispatch.ts";
import type { AlertRules } from "./judge.ts";
import { type Decision, Ledger, type LedgerDeps, type LedgerDevice } from "./ledger.ts";
import type { Message } from "./message.ts";
import { tagOf } from "./occasion.ts";
import { isMuted, quietEnd } from "./preferences.ts";
import { NO_QUOTA_PAST, watchQuotas } from "./quota.ts";

export interface PushDeps
  extends
    Pick<LedgerDeps, "isPresent" | "isBatched">,
    Omit<DispatchDeps, "stands" | "asks" | "lost"> {
  hub: { subscribe(listener: SnapshotListener): () => void };
  rules: () => AlertRules;
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

/** Hears what becomes of panes, asks the ledger what is due and lets it be sent. */
export class Push {
  readonly #deps: PushDeps;
  readonly #ledger: Ledger;
  readonly #dispatch: Dispatch;
  #unsubscribe: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #savedRevision = 0;
  #quotas = NO_QUOTA_PAST;

  constructor(deps: PushDeps) {
    this.#deps = deps;
    const { rules, isPresent, isBatched, devices } = deps;
    this.#ledger = new Ledger({
      rules,
      isPresent,
      isBatched,
      devices: () => this.#listeners(),
      notices: devices.savedNotices,
    });
    this.#dispatch = new Dispatch({
      ...deps,
      stands: (device, tag) => this.#ledger.notices.has(device, tag),
      asks: (identity) => this.#ledger.asks(identity),
      lost: (device, tag) => {
        this.#ledger.notices.remove(device, tag);
        this.#saveNotices();
      },
    });
  }

  /** Before the first pass: what stands then is no news later. */
  start(): void {
    this.#unsubscribe ??= this.#deps.hub.subscribe((snapshot) => this.#hear(snapshot));
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    if (this.#timer) clearTimeout(this.#timer);
    await this.#dispatch.stop();
  }

  get log(): AlertLog {
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

  /** Its preferences have changed: what is held back for it is looked at anew. */
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
    const pane = this.#ledger.standing(paneId);
    const tag = pane ? tagOf(pane.identity) : `decision-${decisionId}`.slice(0, MAX_TAG_CHARS);
    const identity = pane?.identity ?? null;
    const message = { kind: "decision", agentId, decisionId, revision, identity, tag } as const;
    const isBatched = !isUrgent && this.#deps.isBatched("needs_input");
    for (const device of this.#deps.devices.all.filter(({ kind }) => kind === "apns")) {
      const place = { paneId, target: pane?.target ?? null };
      const why = isBatched ? "batching" : this.#whyNotDecision(device, place, isUrgent);
      if (why === null) this.#send(device.id, message);
      else this.#dispatch.suppressed(device.id, paneId, "decision", why);
    }
    this.#look();
  }

  /** The digest of a due Review window that has work. */
  digest(): void {
    this.#toAll({ kind: "digest", tag: "review" }, "review");
  }

  /** Fresh quotas, as often as they are read. */
  quotasSeen(quotas: readonly UsageQuota[]): void {
    const { clock, quotaThreshold } = this.#deps;
    const facts = { threshold: quotaThreshold(), at: clock.now() };
    const { past, isDue } = watchQuotas(this.#quotas, quotas, facts);
    this.#quotas = past;
    if (isDue) this.#toAll({ kind: "quota", tag: "quota" }, "quota");
  }

  #hear({ transitions, hasFailed, at }: Snapshot): void {
    if (hasFailed || (transitions.length === 0 && this.#ledger.isSettled)) return;
    this.#apply([...this.#ledger.observe(transitions), ...this.#ledger.due(at)]);
  }

  #look(): void {
    this.#apply(this.#ledger.due(this.#deps.clock.now()));
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
      case "alert": {
        const { id, name, provider, menu } = decision.pane.state;
        const pane = { id, name, provider, menu };
        const { tag, panes } = decision;
        return this.#send(device, { kind: "pane", reason: decision.reason, tag, pane, panes });
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
    if (nextAt === null) return;
    const ms = Math.max(0, (nextAt - this.#deps.clock.now()) * 1000);
    this.#timer = setTimeout(() => this.#look(), Math.min(MAX_TIMER_MS, Math.ceil(ms)));
    this.#timer.unref();
  }

  #saveNotices(): void {
    const { notices } = this.#ledger;
    if (notices.revision === this.#savedRevision) return;
    this.#savedRevision = notices.revision;
    this.#deps.devices.setNotices(notices.all);
  }

  #listeners(): LedgerDevice[] {
    const { devices, channels } = this.#deps;
    return devices.all.filter(isReachable).map((device) => ({
      id: device.id,
      kind: device.kind,
      preferences: preferencesOf(device),
      isConfigured: channels.isConfigured(device),
      added: device.kind === "ntfy" ? 0 : device.record.added,
    }));
  }

  #toAll(message: WithoutBadge<Message>, reason: "review" | "quota"): void {
    for (const device of this.#deps.devices.all.filter(isReachable)) {
      const why = this.#whyNot(device, reason, false);
      if (why === null) this.#send(device.id, message);
      else this.#dispatch.suppressed(device.id, null, reason, why);
    }
  }

  /** It is asked in a pane: who is not to hear of that pane, or not yet, hears of neither. */
  #whyNotDecision(
    device: Device,
    { paneId, target }: { paneId: string; target: string | null },
    isUrgent: boolean,
  ): Suppression | null {
    const { clock, isPresent } = this.#deps;
    const preferences = preferencesOf(device);
    const why = this.#whyNot(device, "needs_input", isUrgent);
    if (why !== null) return why;
    if (target !== null && isMuted(preferences, target, clock.now())) return "muted";
    if (preferences.wait_minutes > 0) return "wait";
    return isPresent(device.id, paneId) ? "present" : null;
  }

  // Of what is of no pane: nothing to wait for, no page that shows it.
  #whyNot(device: Device, reason: "needs_input" | "review" | "quota", isUrgent: boolean) {
    const { reasons, quiet } = preferencesOf(device);
    if (!reasons.includes(reason)) return "reason_off";
    if (!this.#deps.channels.isConfigured(device)) return "not_configured";
    const isQuiet = quietEnd(quiet, this.#deps.clock.now()) !== null;
    return isQuiet && !(isUrgent && quiet?.urgent === true) ? "quiet_hours" : null;
  }
}

type WithoutBadge<T> = T extends unknown ? Omit<T, "badge"> : never;
